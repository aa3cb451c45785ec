#include "emulator/simt/record/sampling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "emulator/models/memory/memory_model.hpp"
#include "emulator/simt/record/trace_recorder.hpp"

namespace emulator::simt {
namespace {

constexpr std::uint64_t min_blocks = 256;
// Blocks that are counted of a class: as many as execute the class's share of these instructions (half a second on one
// thread), 4 to 48.
constexpr std::uint64_t blocks_of_a_class = 48, min_blocks_of_a_class = 4;
constexpr std::uint64_t instructions_to_count = 16'000'000;
// Blocks that show what is shared: a few waves of short ones; 192 where these execute no more than 12 million
// instructions, fewer of long ones, 16 in any case.
constexpr std::uint64_t instructions_to_share = 4'000'000, instructions_of_min_blocks = 12'000'000;
constexpr std::uint64_t min_blocks_to_share = 192, min_long_blocks_to_share = 16;
static_assert(min_blocks_to_share <= min_blocks);

// Blocks whose index in each dimension is the first, the last, or one between.
struct BlockClass {
    std::array<std::uint64_t, 3> begin{}, size{};
    std::uint64_t blocks() const { return size[0] * size[1] * size[2]; }
    std::uint64_t number(std::uint64_t i, const Dimensions& grid) const {
        const std::uint64_t x = begin[0] + i % size[0];
        const std::uint64_t y = begin[1] + i / size[0] % size[1];
        const std::uint64_t z = begin[2] + i / size[0] / size[1];
        return (z * grid.y + y) * grid.x + x;
    }
};

std::vector<BlockClass> classes_of(const Dimensions& grid) {
    using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // first, size
    const auto ranges = [](std::uint64_t size) {
        Ranges result{{0, 1}};
        if (size > 2) result.emplace_back(1, size - 2);
        if (size > 1) result.emplace_back(size - 1, 1);
        return result;
    };
    std::vector<BlockClass> classes;
    for (const auto& [z, depth] : ranges(grid.z)) {
        for (const auto& [y, height] : ranges(grid.y)) {
            for (const auto& [x, width] : ranges(grid.x)) {
                classes.push_back({{x, y, z}, {width, height, depth}});
            }
        }
    }
    return classes;
}

// Half of them side by side, so that what repeats every few blocks is seen; half spread evenly.
std::vector<std::uint64_t> picks_of(std::uint64_t blocks, std::uint64_t wanted) {
    std::vector<std::uint64_t> picks;
    if (blocks <= wanted) {
        for (std::uint64_t i = 0; i < blocks; ++i) picks.push_back(i);
        return picks;
    }
    const std::uint64_t half = wanted / 2;
    for (std::uint64_t i = 0; i < half; ++i) {
        picks.push_back(blocks / 2 - half / 2 + i);
        picks.push_back(i * (blocks - 1) / (half - 1));
    }
    std::ranges::sort(picks);
    const auto [first, last] = std::ranges::unique(picks);
    picks.erase(first, last);
    return picks;
}

// The numbers whose error is reported.
std::array<double, 6> main_numbers(const Launch& launch, const Counts& counts) {
    const LaunchRecord record = record_of(launch, counts);
    const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
    return {number(record.loads.sectors),
            number(record.loads.requests),
            number(record.stores.sectors),
            number(record.shared_loads.wavefronts + record.shared_stores.wavefronts),
            number(record.atomics.sectors + record.reductions.sectors),
            number(record.warp_instructions)};
}

class Sampler {
  public:
    Sampler(const Launch& launch, std::size_t classes)
        : launch_(launch), instructions_of_a_class_(instructions_to_count / classes) {
        if (launch.recorder == nullptr) return;
        Worker worker(launch);  // counted below
        for (const std::uint64_t block : launch.recorder->blocks()) {
            if (launch.recorder->wants(block)) worker.run_block(block);
        }
        launch.recorder->stop();
    }

    void run(const BlockClass& blocks) {
        std::vector<Counts> samples{counts_of_block(blocks, 0)};
        const std::uint64_t of_first = record_of(launch_, samples[0]).warp_instructions;
        const std::uint64_t fit = instructions_of_a_class_ / std::max<std::uint64_t>(1, of_first);
        const std::vector<std::uint64_t> picks =
            picks_of(blocks.blocks(), std::clamp(fit, min_blocks_of_a_class, blocks_of_a_class));
        // The first one is always among them.
        for (std::size_t i = 1; i < picks.size(); ++i)
            samples.push_back(counts_of_block(blocks, picks[i]));
        executed_ += picks.size();
        const std::uint64_t each = blocks.blocks() / picks.size(),
                            rest = blocks.blocks() % picks.size();
        for (std::size_t i = 0; i < samples.size(); ++i)
            total_.add(samples[i], each + (i < rest ? 1 : 0));
        note_variance(samples, static_cast<double>(blocks.blocks()));
    }

    LaunchRecord record() const {
        LaunchRecord record = record_of(launch_, total_);
        record.blocks_executed = executed_;
        const std::array<double, 6> totals = main_numbers(launch_, total_);
        for (std::size_t i = 0; i < totals.size(); ++i) {
            if (totals[i] == 0) continue;
            record.sampling_error =
                std::max(record.sampling_error, std::sqrt(variance_[i]) / totals[i]);
        }
        record.notes.push_back(
            std::to_string(executed_) + " of " + std::to_string(record.blocks) +
            " blocks were counted: what blocks share in caches is not, and most results were not "
            "written");
        add_texts(workers_, record);
        if (launch_.recorder != nullptr && !launch_.image.traits.has_order_dependence)
            add_shared(record);
        return record;
    }

  private:
    Counts counts_of_block(const BlockClass& blocks, std::uint64_t pick) {
        std::vector<std::unique_ptr<Worker>> worker;
        worker.push_back(std::make_unique<Worker>(launch_));
        worker[0]->run_block(blocks.number(pick, launch_.shape.grid));
        const Counts counts = counts_of(launch_, worker);
        workers_.push_back(std::move(worker[0]));
        return counts;
    }

    void add_shared(LaunchRecord& record) const {
        const std::uint64_t each =
            std::max<std::uint64_t>(1, record.warp_instructions / record.blocks);
        const std::uint64_t least = std::clamp(instructions_of_min_blocks / each,
                                               min_long_blocks_to_share, min_blocks_to_share);
        const std::uint64_t half =
            std::clamp(instructions_to_share / each, least, record.blocks) / 2;
        const Counts first = counts_of(launch_, run_clusters(launch_, half));
        // From the beginning again: what the first half has left in the L1s is there for the second one.
        const std::vector<std::unique_ptr<Worker>> workers = run_clusters(launch_, 2 * half);
        const Counts both = counts_of(launch_, workers);
        const double halves = static_cast<double>(record.blocks) / static_cast<double>(half);
        const auto of_all = [&](const auto& number) {
            const auto one = static_cast<double>(number(first));
            const auto two = static_cast<double>(number(both));
            return static_cast<std::uint64_t>(two + (halves - 2) * std::max(0.0, two - one));
        };
        const auto of_memory = [&](std::uint64_t MemoryCounters::* number) {
            return of_all([&](const Counts& counts) { return counts.memory.*number; });
        };
        record.memory = {of_memory(&MemoryCounters::l1_hit_sectors),
                         of_memory(&MemoryCounters::l2_read_sectors_most),
                         of_memory(&MemoryCounters::l2_write_sectors_most)};
        record.l2_read_sectors_min = of_all(std::mem_fn(&Counts::l2_read_sectors_min));
        record.l2_write_sectors_min = of_all(std::mem_fn(&Counts::l2_write_sectors_min));
        record.dram_read_bytes = of_all(std::mem_fn(&Counts::dram_read_bytes));
        record.incomplete_sectors = of_all(std::mem_fn(&Counts::incomplete_sectors));
        record.footprint_lines = of_all(std::mem_fn(&Counts::footprint_lines));
        record.reread = {of_all([](const Counts& counts) { return counts.reread.granules; }),
                         of_all([](const Counts& counts) { return counts.reread.sectors; })};
        record.slice_unevenness = slice_unevenness_of(launch_, workers);
        record.line_updates = line_updates_by(workers);
        record.line_updates_share = 2 / halves;
    }

    // The variance of the class's total, which is its blocks times the mean of the samples.
    void note_variance(const std::vector<Counts>& samples, double blocks) {
        const auto n = static_cast<double>(samples.size());
        if (n == blocks || n < 2) return;
        if (std::ranges::all_of(samples, [&](const Counts& other) { return other == samples[0]; }))
            return;
        std::array<double, 6> sums{}, squares{};
        for (const Counts& sample : samples) {
            const std::array<double, 6> numbers = main_numbers(launch_, sample);
            for (std::size_t i = 0; i < numbers.size(); ++i) {
                sums[i] += numbers[i];
                squares[i] += numbers[i] * numbers[i];
            }
        }
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const double variance = std::max(0.0, squares[i] - sums[i] * sums[i] / n) / (n - 1);
            variance_[i] += blocks * blocks * variance / n;
        }
    }

    const Launch& launch_;
    const std::uint64_t instructions_of_a_class_;
    Counts total_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::uint64_t executed_ = 0;
    std::array<double, 6> variance_{};
};

}  // namespace

std::optional<LaunchRecord> sample_grid(const Launch& launch) {
    if (launch.blocks() < min_blocks || launch.shape.cooperative || launch.cluster_blocks() > 1)
        return std::nullopt;
    if (launch.image.traits.may_wait_for_blocks) return std::nullopt;
    const std::vector<BlockClass> classes = classes_of(launch.shape.grid);
    Sampler sampler(launch, classes.size());
    for (const BlockClass& blocks : classes) sampler.run(blocks);
    return sampler.record();
}

}  // namespace emulator::simt
