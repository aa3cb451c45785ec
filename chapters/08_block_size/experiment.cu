// Chapter 08: is 256 the best size of a block, and does the occupancy explain it?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Exposing
// more parallelism". There: n = 2^24, the kernel unrolled by 4, aligned and at offset 11, Fermi.
//
// Variants: read_offset (chapter 02) and read_offset_unrolled (chapter 07), blocks of 32 to 1024
//           threads, offsets 0 and 11. With shared_kb:48 each block also takes 48 KB of shared
//           memory that it does not use: fewer blocks of up to 256 threads fit an SM, the L1 is
//           smaller, the code stays. n = 2^20; 2^24, the book's, without shared_kb rows; and 2^26
//           (805 MB, more than four times any L2 of today); all cold.
// Model:    an element is two 4-byte loads, one 4-byte store, one addition; n - offset elements.
// Differs:  the unrolled kernel computes the tail that the book's drops; the source states its
//           best block without the times, so its claims are directions.
#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "problems/array_sum.hpp"

namespace {

struct Shape {
    unsigned unroll;  // elements a thread: 1 is read_offset
    std::size_t offset;
    unsigned block;
    unsigned shared_kb = 0;  // unused shared memory of each block
};

lab::Variant sum_row(const lab::ArraySum& arrays, const Shape& shape) {
    const auto [unroll, offset, block, shared_kb] = shape;
    std::string name = unroll == 1 ? "read_offset" : "read_offset_unrolled/unroll:4";
    name = lab::variant_name(name, {{"offset", offset}, {"block", block}});
    if (shared_kb != 0) name = lab::variant_name(name, {{"shared_kb", shared_kb}});
    return arrays.row(
        name, offset, lab::Cache::cold,
        lab::launch(unroll == 1 ? read_offset : read_offset_unrolled<4>,
                    lab::blocks_for(arrays.size(), block * unroll), block, shared_kb * 1024));
}

std::vector<lab::Variant> rows(std::size_t n, bool with_shared_memory) {
    const lab::ArraySum arrays(n);
    std::vector<lab::Variant> rows;
    for (const unsigned unroll : {1, 4}) {
        for (const unsigned block : {32, 64, 128, 256, 512, 768, 1024}) {
            for (const std::size_t offset : {0, 11}) {
                if (offset < n) rows.push_back(sum_row(arrays, {unroll, offset, block}));
            }
        }
        for (const unsigned block : {64, 128, 256, 512}) {
            if (with_shared_memory) rows.push_back(sum_row(arrays, {unroll, 0, block, 48}));
        }
    }
    return rows;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("08_block_size", argc, argv);
    constexpr std::size_t book_size = 1 << 24;
    for (const std::size_t n : {std::size_t{1} << 20, book_size, std::size_t{1} << 26}) {
        experiment.add(rows(n, n != book_size));
        experiment.add_memcpy(n * sizeof(float), lab::Cache::cold);
    }
    // Ragged: n is a multiple of no block; the tail of the unrolled kernel begins anywhere in it.
    for (const std::size_t n : {1, 4099, 100003}) experiment.add_validation(rows(n, true));
    return experiment.run();
}
