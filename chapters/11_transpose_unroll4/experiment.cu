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
//           2048 x 2048 and 16384 x 16384 (2.1 GB; an emulated GPU predicts the time alone), cold.
// Model:    an element is a 4-byte load and a 4-byte store.
// Differs:  indices are 64 bits wide; the book's kernels index past the end where the width is no
//           multiple of 4 x 16, ours do the tail, for every width.
#include <memory>
#include <utility>

#include "../10_transpose_naive/l1_variants.hpp"
#include "lab/experiment.hpp"
#include "problems/matrix_transpose.hpp"

int main(int argc, char** argv) {
    lab::Experiment experiment("11_transpose_unroll4", argc, argv);
    const auto add = [&](std::size_t side) {
        const lab::Emulation emulation = experiment.emulation(side == 2048);
        const auto matrix = std::make_shared<lab::MatrixTranspose>(side, side, emulation);
        const std::size_t sets = experiment.cold_sets(matrix->bytes());
        for (lab::Variant& variant : l1_variants(matrix, lab::Cache::cold, sets)) {
            experiment.add(std::move(variant), emulation);
        }
        experiment.add_memcpy(matrix->bytes() / 2, lab::Cache::cold);
    };
    add(2048);
    add(16384);

    // Around 64, the width of an unrolled block: the tail is empty, one short, one over.
    const std::pair<std::size_t, std::size_t> shapes[] = {
        {1, 1}, {1, 1009}, {1009, 1}, {31, 33}, {63, 65}, {64, 128}, {127, 509}, {1030, 67}};
    for (const auto& [rows, columns] : shapes) {
        add_l1_validations(experiment, rows, columns);
    }
    return experiment.run();
}
