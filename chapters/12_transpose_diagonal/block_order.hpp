// The order in which blocks go to SMs, and how consecutive those are that run at one moment: rows of a transpose whose blocks
// note when and where they ran. Needs a GPU; on an emulated one no block runs beside another.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <set>
#include <vector>

#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "problems/matrix_transpose.hpp"

namespace block_order {

// The shared clock advances in steps of up to a microsecond, and a block notes its beginning after its first instructions.
constexpr unsigned long long clock_step_ns = 2000;

// Blocks, by their number, that begin more than a step of the clock after a block with a higher number has begun.
inline std::size_t late_starts(const std::vector<BlockRun>& runs) {
    std::size_t late = 0;
    unsigned long long earliest_above = ~0ull;
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
        if (run->begin_ns > clock_step_ns && run->begin_ns - clock_step_ns > earliest_above) ++late;
        earliest_above = std::min(earliest_above, run->begin_ns);
    }
    return late;
}

// When this percentage of the blocks has begun; 0: when the first one ends.
inline unsigned long long moment(const std::vector<BlockRun>& runs, unsigned begun_percent) {
    if (begun_percent == 0) return std::ranges::min(runs, {}, &BlockRun::end_ns).end_ns;
    std::vector<unsigned long long> begins;
    for (const BlockRun& run : runs) begins.push_back(run.begin_ns);
    const auto at = begins.begin() + std::ptrdiff_t(begins.size() * begun_percent / 100);
    std::ranges::nth_element(begins, at);
    return *at;
}

// From the lowest to the highest number of the blocks that run at `now`, over their count, in percent: 100 where they are
// consecutive.
inline double resident_span(const std::vector<BlockRun>& runs, unsigned long long now) {
    std::size_t count = 0, first = runs.size(), last = 0;
    for (std::size_t block = 0; block < runs.size(); ++block) {
        if (runs[block].begin_ns > now || runs[block].end_ns < now) continue;
        first = std::min(first, block);
        last = block;
        ++count;
    }
    return count == 0 ? 0 : 100 * double(last - first + 1) / double(count);
}

// The different SMs of as many first blocks as there are SMs, in percent of these.
inline double first_sms(const std::vector<BlockRun>& runs, unsigned sms) {
    std::set<unsigned> seen;
    for (std::size_t block = 0; block < std::min<std::size_t>(sms, runs.size()); ++block)
        seen.insert(runs[block].sm);
    return 100 * double(seen.size()) / sms;
}

// Counters are of the launch that is validated.
inline lab::Variant row(const lab::Experiment& experiment, const lab::MatrixTranspose& matrix,
                        unsigned begun_percent) {
    const dim3 block(16, 16), grid = lab::grid_over(matrix.columns(), matrix.rows(), block);
    const auto runs = std::make_shared<lab::DeviceBuffer<BlockRun>>();
    const auto launch = lab::launch(transpose_read_rows_noted, grid, block);
    lab::Variant row = matrix.transpose_row(
        lab::variant_name("transpose_read_rows_noted",
                          {{"block", "16x16"}, {"begun", begun_percent}}),
        lab::Cache::cold, [=](const float* in, float* out, std::size_t rows, std::size_t columns) {
            if (runs->size() == 0) *runs = lab::DeviceBuffer<BlockRun>(grid.x * grid.y);
            launch(in, out, rows, columns, runs->get());
        });
    row.counters = [=, sms = experiment.device().sm_count]() -> lab::Counters {
        if (lab::backend::description().emulated) return {};
        const std::vector<BlockRun> noted = runs->to_host();
        return {{"late_starts", double(late_starts(noted))},
                {"resident_span", std::round(resident_span(noted, moment(noted, begun_percent)))},
                {"first_sms", std::round(first_sms(noted, sms))}};
    };
    row.shape = lab::shape_of(launch);
    return row;
}

}  // namespace block_order
