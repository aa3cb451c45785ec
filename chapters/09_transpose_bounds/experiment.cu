// Chapter 09: between which bounds does a transpose lie, and are they bounds?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Memory
// bandwidth" and the copies that bound a transpose. There: 2048 x 2048 floats, blocks of 16 x 16, a
// Fermi M2090 with the L1 on.
//
// Variants: copy_rows             the book's upper bound; blocks of 16 x 16, 32 x 8 and 64 x 4
//           copy_columns          the book's lower bound; 16 x 16 and 32 x 8
//           copy_wide             16 bytes a lane, four loads in flight: an upper bound of ours
//           transpose_tile_padded the textbook's transpose through shared memory
//           memcpy                the driver's own copy (GPU)
//           2048 x 2048 cold and warm, 16384 x 16384 cold (2.1 GB).
// Model:    an element is a 4-byte load and a 4-byte store.
// Differs:  indices are 64 bits wide; loads go through the L1 as the compiler sets it, on a Fermi
//           as in the source (chapter 10 switches it off); the book's matrix fits an H200's L2,
//           so cold rows rotate through matrices that together exceed four times the L2.
#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "problems/matrix_rows.hpp"

namespace {

std::vector<lab::Variant> rows_of(const lab::MatrixTranspose& matrix, lab::Cache cache) {
    const std::size_t rows = matrix.rows(), columns = matrix.columns();
    const lab::MatrixKernel by_rows = {.name = "copy_rows", .code = copy_rows, .transposes = false};
    const lab::MatrixKernel by_columns = {
        .name = "copy_columns", .code = copy_columns, .transposes = false};
    std::vector<lab::Variant> table = {matrix_row(by_rows, matrix, {16, 16}, cache),
                                       matrix_row(by_rows, matrix, {32, 8}, cache),
                                       matrix_row(by_rows, matrix, {64, 4}, cache),
                                       matrix_row(by_columns, matrix, {16, 16}, cache),
                                       matrix_row(by_columns, matrix, {32, 8}, cache)};
    const auto wide = lab::launch(copy_wide, lab::blocks_for(rows * columns, 4 * 4 * 256), 256);
    table.push_back(matrix.copy_row("copy_wide/block:256", cache,
                                    [=](const float* in, float* out, std::size_t, std::size_t) {
                                        wide(in, out, rows * columns);
                                    }));
    table.back().shape = wide.shape();
    table.push_back(matrix.transpose_row(
        "transpose_tile_padded/block:32x8", cache,
        lab::launch(transpose_tile_padded, lab::grid_over(columns, rows, {32, 32}), {32, 8})));
    return table;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("09_transpose_bounds", argc, argv);
    lab::add_matrices(experiment, lab::square_cases, lab::ragged_matrices, rows_of);
    return experiment.run();
}
