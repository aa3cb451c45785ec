// Chapter 05: does a misaligned write cost what it is said to, and which transactions make it up?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Global
// memory writes". There: offsets 0, 11, 128, blocks of 512 threads, a Fermi GPU.
//
// Variants: write_offset at offsets 0...32, 64 and 128; at a few of them fill_offset (stores alone)
//           and chapter 02's read_offset; write_lanes at offset 11 by the lanes before the 128-byte
//           boundary (0 to 20) and by those behind it (21 to 31), and at offset 0 by the 8 lanes
//           that fill one sector. Blocks of 512; n = 2^20 (cold; warm without the sweep) and, with
//           fewer offsets, 2^26 (805 MB, more than four times any L2 of today; an emulated
//           GPU predicts the time alone; not on Fermi).
// Model:    an element written is two 4-byte loads (none in fill_offset), one 4-byte store, one
//           addition; n - offset elements, or what the lanes' share of them is.
// Differs:  the index is 64 bits wide; cold rows rotate through buffer sets that together exceed
//           four times the L2, because 12 MB fit an L2 of today whole.
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "../02_misaligned_reads/kernels.cuh"
#include "kernels.cuh"
#include "lab/device_buffer.hpp"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/repeated_values.hpp"
#include "lab/variant_name.hpp"
#include "problems/array_sum.hpp"

namespace {

constexpr unsigned block = 512;
constexpr float fill_value = 0.375f;

struct Row {
    std::string name;  // without block and regime
    std::size_t offset = 0;
    std::size_t accesses = 3;  // of 4 bytes, for an element
    double share = 1;          // of the elements: those that the lanes write
    std::function<void(lab::ArraySum::Set&, std::size_t n)> launch;
    std::function<void(lab::ArraySum&)> check;
};

lab::Variant variant(const lab::Experiment& experiment, std::shared_ptr<lab::ArraySum> arrays,
                     lab::Cache cache, Row row) {
    const std::size_t n = arrays->size();
    const double elements = row.share * static_cast<double>(n - row.offset);
    const std::size_t working_set = row.accesses * sizeof(float) * n;
    return {
        .name =
            lab::variant_name(row.name, {{"block", block}, {"n", n}, {"cache", lab::text(cache)}}),
        .bytes = static_cast<double>(row.accesses * sizeof(float)) * elements,
        .flops = row.accesses == 3 ? elements : 0,
        .working_set_bytes = working_set,
        .sets = experiment.sets(cache, working_set),
        .prepare = [=] { arrays->set(0).c.poison(); },
        .launch = [=](std::size_t index) { row.launch(arrays->set(index), n); },
        .check = [=] { row.check(*arrays); },
    };
}

Row write_row(std::size_t offset) {
    return {
        .name = lab::variant_name("write_offset", {{"offset", offset}}),
        .offset = offset,
        .launch =
            [=](lab::ArraySum::Set& set, std::size_t n) {
                lab::launch(write_offset, lab::blocks_for(n, block), block)(
                    set.a.get(), set.b.get(), set.c.get(), n, offset);
            },
        .check = [=](lab::ArraySum& arrays) { arrays.check(0, {offset, arrays.size() - offset}); },
    };
}

Row fill_row(std::size_t offset) {
    return {
        .name = lab::variant_name("fill_offset", {{"offset", offset}}),
        .offset = offset,
        .accesses = 1,
        .launch =
            [=](lab::ArraySum::Set& set, std::size_t n) {
                lab::launch(fill_offset, lab::blocks_for(n, block), block)(fill_value, set.c.get(),
                                                                           n, offset);
            },
        .check =
            [=](lab::ArraySum& arrays) {
                arrays.check_repeats({fill_value}, 0, {offset, arrays.size() - offset});
            },
    };
}

Row lanes_row(std::size_t offset, unsigned first, unsigned last) {
    const std::string lanes = std::to_string(first) + "-" + std::to_string(last);
    return {
        .name = lab::variant_name("write_lanes", {{"offset", offset}, {"lanes", lanes}}),
        .offset = offset,
        .share = (last - first + 1) / 32.0,
        .launch =
            [=](lab::ArraySum::Set& set, std::size_t n) {
                lab::launch(write_lanes, lab::blocks_for(n, block), block)(
                    set.a.get(), set.b.get(), set.c.get(), n, offset, first, last);
            },
        .check =
            [=](lab::ArraySum& arrays) {
                static_assert(lab::period % 32 == 0, "or lanes and sums repeat apart");
                std::vector<float> expected = arrays.values_of_sum();
                for (std::size_t i = 0; i < expected.size(); ++i) {
                    const std::size_t lane = i % 32;
                    if (lane < first || last < lane) expected[i] = lab::poison_value<float>();
                }
                arrays.check_repeats(expected, 0, {offset, arrays.size() - offset});
            },
    };
}

// Chapter 02's kernel: the same offset on the other side.
Row read_row(std::size_t offset) {
    return {
        .name = lab::variant_name("read_offset", {{"offset", offset}}),
        .offset = offset,
        .launch =
            [=](lab::ArraySum::Set& set, std::size_t n) {
                lab::launch(read_offset, lab::blocks_for(n, block), block)(set.a.get(), set.b.get(),
                                                                           set.c.get(), n, offset);
            },
        .check = [=](lab::ArraySum& arrays) { arrays.check(offset); },
    };
}

std::vector<Row> rows(const std::vector<std::size_t>& write_offsets) {
    std::vector<Row> rows = {lanes_row(0, 0, 7), lanes_row(11, 0, 20), lanes_row(11, 21, 31)};
    for (const std::size_t offset : write_offsets) rows.push_back(write_row(offset));
    for (const std::size_t offset : {0, 8, 11, 128}) rows.push_back(fill_row(offset));
    for (const std::size_t offset : {0, 11, 128}) rows.push_back(read_row(offset));
    return rows;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("05_misaligned_writes", argc, argv);
    std::vector<std::size_t> sweep(33);
    std::iota(sweep.begin(), sweep.end(), 0);
    sweep.insert(sweep.end(), {64, 128});
    const std::vector<std::size_t> source_offsets = {0, 11, 128};

    // Offsets within a sector differ in nothing that is counted: at the large size a few stand for
    // all.
    const std::vector<std::size_t> large_sweep = {0,  1,  2,  4,  7,  8,  9,  11, 12,
                                                  15, 16, 20, 24, 28, 31, 32, 64, 128};

    const auto add = [&](const auto& arrays, lab::Cache cache, const auto& write_offsets,
                         lab::Emulation emulation = lab::Emulation::whole) {
        for (const Row& row : rows(write_offsets)) {
            experiment.add(variant(experiment, arrays, cache, row), emulation);
        }
        experiment.add_memcpy(arrays->size() * sizeof(float), cache);
    };
    const auto small = std::make_shared<lab::ArraySum>(1 << 20);
    add(small, lab::Cache::cold, sweep);
    add(small, lab::Cache::warm, source_offsets);
    const std::size_t large = 1 << 26;
    if (lab::blocks_for(large, block) <= experiment.device().max_grid_x) {
        const lab::Emulation emulation = experiment.emulation(false);
        const auto arrays = std::make_shared<lab::ArraySum>(large, emulation);
        add(arrays, lab::Cache::cold, large_sweep, emulation);
    }
    // Ragged: n is no multiple of a warp, the last block is nearly empty, n - offset crosses a
    // block.
    for (const std::size_t n : {std::size_t{1}, std::size_t{31}, std::size_t{1000003}}) {
        const auto arrays = std::make_shared<lab::ArraySum>(n);
        for (const Row& row : rows(source_offsets)) {
            if (row.offset >= n) continue;
            experiment.add_validation(variant(experiment, arrays, lab::Cache::warm, row));
        }
    }
    return experiment.run();
}
