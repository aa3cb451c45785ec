// Chapter 02: does a misaligned read cost what it is said to cost?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Misaligned
// reads". There: n = 2^20 and 2^24, offsets 0, 11, 128, blocks of 512 threads, a Fermi GPU.
//
// Variants: read_offset at offsets 0...32, 64 and 128, blocks of 128 to 1024 threads; n = 2^20, 2^24
//           and 2^26 (805 MB, more than four times any L2 of today). At the two larger sizes the
//           other offsets are measured in blocks of 512 alone.
// Model:    an element is two 4-byte loads, one 4-byte store, one addition; n - offset elements.
// Differs:  the index is 64 bits wide; loads go through the L1 as the compiler sets it (chapter 03
//           switches it off); cold rows rotate through buffer sets that together exceed four times
//           the L2, because the book's smaller size fits an L2 of today whole.
#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "problems/sum_rows.hpp"

int main(int argc, char** argv) {
    using enum lab::Cache;
    using enum lab::Evidence;
    lab::Experiment experiment("02_misaligned_reads", argc, argv);
    const std::vector<unsigned> blocks = {128, 256, 512, 1024};
    const std::vector<std::size_t> book = {0, 11, 128};
    std::vector<std::size_t> others = {64};
    for (std::size_t offset = 1; offset <= 32; ++offset) {
        if (offset != 11) others.push_back(offset);
    }
    const lab::ArraySum small(1 << 20), large(1 << 24), beyond_any_l2(1 << 26);
    const struct {
        lab::ArraySum arrays;
        lab::Cache cache;
        std::vector<unsigned> blocks;
        std::vector<std::size_t> offsets;
        lab::Evidence evidence = by_size;
    } regimes[] = {{small, cold, blocks, book},
                   {small, cold, blocks, others},
                   {small, warm, {512}, book},
                   {large, cold, blocks, book, counted},
                   {large, cold, {512}, others, measured},
                   {beyond_any_l2, cold, blocks, book},
                   {beyond_any_l2, cold, {512}, others, measured}};
    experiment.add_launch_overhead(512);
    for (const auto& [arrays, cache, blocks, offsets, evidence] : regimes) {
        for (const unsigned block : blocks) {
            for (const std::size_t offset : offsets) {
                experiment.add(
                    lab::sum_row("read_offset", read_offset, arrays, offset, block, cache),
                    evidence);
            }
        }
        if (offsets == book) experiment.add_memcpy(arrays.bytes() / 3, cache);
    }
    // Ragged: n is no multiple of a warp, the last block is nearly empty, n - offset crosses a block.
    for (const std::size_t n : {1, 31, 1000003}) {
        for (const std::size_t offset : {0, 1, 11, 128}) {
            if (offset >= n) continue;
            experiment.add_validation(
                lab::sum_row("read_offset", read_offset, lab::ArraySum(n), offset, 512, warm));
        }
    }
    return experiment.run();
}
