// Chapter 11: does a naive transpose gain from four elements a thread?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Unrolling
// transpose: reading rows versus reading columns". There: 2048 x 2048 floats, blocks of 16 x 16, a
// Fermi M2090 with the L1 on.
//
// Variants: transpose_read_rows, transpose_read_columns   one element a thread (chapter 10)
//           ..._unroll4                                   four, as the source writes them
//           ..._unroll4_loads_first                       four, all loads before the first store
//           each with loads through the L1 (l1:on) and past it (l1:off); blocks of 16 x 16;
//           2048 x 2048 and 16384 x 16384 (2.1 GB), cold.
// Model:    an element is a 4-byte load and a 4-byte store.
// Differs:  indices are 64 bits wide; the book's kernels index past the end where the width is no
//           multiple of 4 x 16, ours do the tail, for every width.
#include "../10_transpose_naive/l1.hpp"
#include "lab/experiment/chapter.hpp"

int main(int argc, char** argv) {
    lab::Experiment experiment("11_transpose_unroll4", argc, argv);
    // Around 64, the width of an unrolled block: the tail is empty, one short, one over.
    constexpr std::pair<std::size_t, std::size_t> shapes[] = {
        {1, 1}, {1, 1009}, {1009, 1}, {31, 33}, {63, 65}, {64, 128}, {127, 509}, {1030, 67}};
    lab::add_matrices(experiment, lab::cold_squares, shapes, l1_rows);
    return experiment.run();
}
