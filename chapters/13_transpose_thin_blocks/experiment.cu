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
#include "problems/matrix_transpose.hpp"

namespace {

constexpr std::pair<unsigned, unsigned> blocks[] = {{8, 8},   {8, 16},  {8, 32}, {16, 8},
                                                    {16, 16}, {16, 32}, {32, 8}, {32, 16},
                                                    {32, 32}, {4, 32},  {4, 64}};

std::vector<lab::Variant> rows_of(std::size_t rows, std::size_t columns) {
    const lab::MatrixTranspose matrix(rows, columns);
    std::vector<lab::Variant> table;
    const auto add = [&](const char* name, auto kernel, dim3 grid, dim3 block) {
        table.push_back(matrix.transpose_row(lab::variant_name(name, {{"block", block}}),
                                             lab::Cache::cold, lab::launch(kernel, grid, block)));
    };
    for (const auto& [width, height] : blocks) {
        const dim3 block(width, height);
        add("transpose_read_columns", transpose_read_columns, lab::grid_over(rows, columns, block),
            block);
        add("transpose_read_rows", transpose_read_rows, lab::grid_over(columns, rows, block),
            block);
    }
    return table;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("13_transpose_thin_blocks", argc, argv);
    for (const std::size_t side : {2048, 16384}) {
        experiment.add(rows_of(side, side));
        experiment.add_memcpy(side * side * sizeof(float), lab::Cache::cold);
    }
    for (const auto& [rows, columns] : lab::ragged_matrices) {
        experiment.add_validation(rows_of(rows, columns));
    }
    return experiment.run();
}
