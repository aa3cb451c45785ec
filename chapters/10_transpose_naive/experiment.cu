// Chapter 10: should a naive transpose read rows or read columns, and does the L1 decide it?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Naive
// transpose: reading rows versus reading columns". There: 2048 x 2048 floats, blocks of 16 x 16, a
// Fermi M2090, compiled with -dlcm=ca and with -dlcm=cg.
//
// Variants: transpose_read_rows    reads rows, stores columns
//           transpose_read_columns reads columns, stores rows
//           copy_rows, copy_columns the book's bounds (chapter 09)
//           each with loads through the L1 (l1:on) and past it (l1:off); blocks of 16 x 16;
//           2048 x 2048 cold and warm, 16384 x 16384 cold (2.1 GB).
// Model:    an element is a 4-byte load and a 4-byte store.
// Differs:  indices are 64 bits wide. The K10, K20 and K20X of the source never cache global loads in
//           the L1; the emulated Kepler is a K40, which does with -dlcm=ca.
#include "l1.hpp"
#include "lab/experiment/chapter.hpp"

int main(int argc, char** argv) {
    lab::Experiment experiment("10_transpose_naive", argc, argv);
    lab::add_matrices(experiment, lab::square_cases, lab::ragged_matrices, l1_rows);
    return experiment.run();
}
