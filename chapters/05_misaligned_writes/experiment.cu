// Chapter 05: does a misaligned write cost what it is said to, and which transactions make it up?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Global
// memory writes". There: offsets 0, 11, 128, blocks of 512 threads, a Fermi GPU.
//
// Variants: write_offset at offsets 0...32, 64 and 128; at a few of them fill_offset (stores alone)
//           and chapter 02's read_offset; write_lanes at offset 11 by the lanes before the 128-byte
//           boundary (0 to 20) and by those behind it (21 to 31), and at offset 0 by the 8 lanes
//           that fill one sector. Blocks of 512; n = 2^20 (cold; warm without the sweep) and, with
//           fewer offsets, 2^26 (805 MB, more than four times any L2 of today).
// Model:    an element written is two 4-byte loads (none in fill_offset), one 4-byte store, one
//           addition; n - offset elements, or what the lanes' share of them is.
// Differs:  the index is 64 bits wide; cold rows rotate through buffer sets that together exceed
//           four times the L2, because 12 MB fit an L2 of today whole.
#include <numeric>

#include "../02_misaligned_reads/kernels.cuh"
#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "problems/sum_rows.hpp"

namespace {

constexpr unsigned block = 512;
constexpr float fill_value = 0.375f;

using Offsets = std::vector<std::size_t>;

template <class... Parameters>
auto launch(void (*kernel)(Parameters...), const lab::ArraySum& arrays) {
    return lab::launch(kernel, lab::blocks_for(arrays.size(), block), block);
}

lab::Variant write_row(const lab::ArraySum& arrays, std::size_t offset, lab::Cache cache) {
    lab::Variant row = lab::sum_row("write_offset", write_offset, arrays, offset, block, cache);
    row.check = [=, n = arrays.size()] { arrays.check(0, {offset, n - offset}); };
    return row;
}

// Stores alone.
lab::Variant fill_row(const lab::ArraySum& arrays, std::size_t offset, lab::Cache cache) {
    const std::size_t n = arrays.size();
    const auto fill = launch(fill_offset, arrays);
    lab::Variant row = arrays.row_on_sets(
        lab::variant_name("fill_offset", {{"offset", offset}, {"block", block}}), cache,
        [=](lab::ArraySum::Set& set) { fill(fill_value, set.c.get(), n, offset); });
    row.bytes = sizeof(float) * static_cast<double>(n - offset);
    row.working_set_bytes = sizeof(float) * n;
    row.check = [=] { arrays.check_repeats({fill_value}, 0, {offset, n - offset}); };
    row.shape = fill.shape();
    return row;
}

struct Lanes {
    unsigned first, last;
};

// Some lanes of each warp write.
lab::Variant lanes_row(const lab::ArraySum& arrays, std::size_t offset, Lanes lanes,
                       lab::Cache cache) {
    const std::string range = std::to_string(lanes.first) + "-" + std::to_string(lanes.last);
    const auto write = launch(write_lanes, arrays);
    lab::Variant row = arrays.row(
        lab::variant_name("write_lanes", {{"offset", offset}, {"lanes", range}, {"block", block}}),
        offset, cache,
        [=](const float* a, const float* b, float* c, std::size_t n, std::size_t offset) {
            write(a, b, c, n, offset, lanes.first, lanes.last);
        });
    row.shape = write.shape();
    const double share = (lanes.last - lanes.first + 1) / 32.0;
    row.bytes *= share;
    row.flops *= share;
    row.check = [=, n = arrays.size()] {
        static_assert(lab::period % 32 == 0, "or lanes and sums repeat apart");
        std::vector<float> expected = arrays.values_of_sum();
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const std::size_t lane = i % 32;
            if (lane < lanes.first || lanes.last < lane) expected[i] = lab::poison_value<float>();
        }
        arrays.check_repeats(expected, 0, {offset, n - offset});
    };
    return row;
}

// Chapter 02's kernel: the same offset on the other side.
lab::Variant read_row(const lab::ArraySum& arrays, std::size_t offset, lab::Cache cache) {
    return lab::sum_row("read_offset", read_offset, arrays, offset, block, cache);
}

std::vector<lab::Variant> rows(const lab::ArraySum& arrays, lab::Cache cache,
                               const Offsets& write_offsets) {
    std::vector<lab::Variant> rows;
    const std::size_t n = arrays.size();
    const auto add = [&](auto make, std::size_t offset, auto... others) {
        if (offset < n) rows.push_back(make(arrays, offset, others..., cache));
    };
    add(lanes_row, 0, Lanes{0, 7});
    add(lanes_row, 11, Lanes{0, 20});
    add(lanes_row, 11, Lanes{21, 31});
    for (const std::size_t offset : write_offsets) add(write_row, offset);
    for (const std::size_t offset : {0, 8, 11, 128}) add(fill_row, offset);
    for (const std::size_t offset : {0, 11, 128}) add(read_row, offset);
    return rows;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("05_misaligned_writes", argc, argv);
    const Offsets book = {0, 11, 128};
    Offsets sweep(33);
    std::iota(sweep.begin(), sweep.end(), 0);
    sweep.insert(sweep.end(), {64, 128});
    // Offsets within a sector differ in nothing that is counted: at the large size a few stand for all.
    const Offsets few = {0, 1, 2, 4, 7, 8, 9, 11, 12, 15, 16, 20, 24, 28, 31, 32, 64, 128};
    const lab::ArraySum small(1 << 20), large(1 << 26);
    const struct {
        lab::ArraySum arrays;
        lab::Cache cache;
        Offsets write_offsets;
    } regimes[] = {{small, lab::Cache::cold, sweep},
                   {small, lab::Cache::warm, book},
                   {large, lab::Cache::cold, few}};
    for (const auto& [arrays, cache, write_offsets] : regimes) {
        experiment.add(rows(arrays, cache, write_offsets));
        experiment.add_memcpy(arrays.bytes() / 3, cache);
    }
    // Ragged: n is no multiple of a warp, the last block is nearly empty, n - offset crosses a block.
    for (const std::size_t n : {1, 31, 1000003}) {
        experiment.add_validation(rows(lab::ArraySum(n), lab::Cache::warm, book));
    }
    return experiment.run();
}
