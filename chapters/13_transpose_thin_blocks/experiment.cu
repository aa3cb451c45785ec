// Chapter 13: is a thin block of 8 x 32 threads the best for a transpose that reads columns?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, thin
// blocks for more parallelism. There: 2048 x 2048 floats, a Fermi M2090 with the L1 on; (8,32) is
// reported best among its block shapes, ahead of (16,16) with as many threads.
//
// Variants: transpose_read_columns (chapter 10) in nine block shapes as in the source, 8 x 8 to
//           32 x 32, and in two thinner ones, 4 x 32 and 4 x 64; transpose_read_rows in the same
//           shapes, to tell whether it is the load or the store that profits;
//           2048 x 2048 and 16384 x 16384 (2.1 GB), cold.
// Model:    an element is a 4-byte load and a 4-byte store.
// Differs:  indices are 64 bits wide; loads go through the L1 as the compiler sets it.
#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "problems/matrix_rows.hpp"

namespace {

constexpr lab::MatrixKernel kernels[] = {
    {.name = "transpose_read_columns", .code = transpose_read_columns, .x_is_row = true},
    {.name = "transpose_read_rows", .code = transpose_read_rows}};

std::vector<lab::Variant> rows_of(const lab::MatrixTranspose& matrix, lab::Cache) {
    std::vector<lab::Variant> table;
    for (const dim3 block :
         {dim3(8, 8), dim3(8, 16), dim3(8, 32), dim3(16, 8), dim3(16, 16), dim3(16, 32),
          dim3(32, 8), dim3(32, 16), dim3(32, 32), dim3(4, 32), dim3(4, 64)}) {
        for (const lab::MatrixKernel& kernel : kernels) {
            table.push_back(matrix_row(kernel, matrix, block, lab::Cache::cold));
        }
    }
    return table;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("13_transpose_thin_blocks", argc, argv);
    lab::add_matrices(experiment, lab::cold_squares, lab::ragged_matrices, rows_of);
    return experiment.run();
}
