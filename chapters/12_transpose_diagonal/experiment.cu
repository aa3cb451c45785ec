// Chapter 12: does the diagonal order of blocks speed a naive transpose up?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Diagonal
// transpose: reading rows versus reading columns". There: 2048 x 2048 floats, blocks of 16 x 16, a
// Fermi M2090; memory is cut into partitions of 256 bytes, and blocks that run together shall not
// queue for one of them.
//
// Variants: transpose_read_rows, transpose_read_columns   blocks in row order (chapter 10)
//           ..._diagonal       the book's mapping, for square grids alone
//           ..._diagonal_any   the same order in a grid of any shape
//           ..._unroll4, ..._diagonal_unroll4   four elements a thread (chapter 11), in either order
//           ..._noted          8192 x 8192: blocks note when and on which SM they ran (block_order.hpp)
//           2048 x 2048, the book's size; squares of 1920 to 2304, of 16384 and of 16448 (2.2 GB),
//           16384 x 16448 and 16384 x 32768; cold. The side decides whether a column of the
//           matrix lies in one, some or all partitions (README.md has the arithmetic); squares,
//           because one kernel strides by the rows and the other by the columns.
// Model:    an element is a 4-byte load and a 4-byte store.
// Differs:  indices are 64 bits wide; loads go through the L1 as the compiler sets it.
#include "../10_transpose_naive/kernels.cuh"
#include "../11_transpose_unroll4/kernels.cuh"
#include "block_order.hpp"
#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "problems/matrix_rows.hpp"

namespace {

constexpr lab::MatrixKernel kernels[] = {
    {"transpose_read_rows", transpose_read_rows},
    {.name = "transpose_read_rows_diagonal",
     .code = transpose_read_rows_diagonal<DiagonalOfSquare>,
     .needs_square_grid = true},
    {"transpose_read_rows_diagonal_any", transpose_read_rows_diagonal<Diagonal>},
    {.name = "transpose_read_rows_diagonal_unroll4",
     .code = transpose_read_rows_diagonal_unroll4,
     .per_thread = 4},
    {.name = "transpose_read_rows_unroll4", .code = transpose_read_rows_unroll4, .per_thread = 4},
    {.name = "transpose_read_columns", .code = transpose_read_columns, .x_is_row = true},
    {.name = "transpose_read_columns_diagonal",
     .code = transpose_read_columns_diagonal<DiagonalOfSquare>,
     .x_is_row = true,
     .needs_square_grid = true},
    {.name = "transpose_read_columns_diagonal_any",
     .code = transpose_read_columns_diagonal<Diagonal>,
     .x_is_row = true},
    {.name = "transpose_read_columns_diagonal_unroll4",
     .code = transpose_read_columns_diagonal_unroll4,
     .x_is_row = true,
     .per_thread = 4},
    {.name = "transpose_read_columns_unroll4",
     .code = transpose_read_columns_unroll4,
     .x_is_row = true,
     .per_thread = 4},
};

// The rows of all kernels that can do this shape.
std::vector<lab::Variant> rows_of(std::size_t rows, std::size_t columns) {
    const lab::MatrixTranspose matrix(rows, columns);
    std::vector<lab::Variant> table;
    for (const lab::MatrixKernel& kernel : kernels) {
        const dim3 block(16, 16), grid = grid_of(kernel, matrix, block);
        if (kernel.needs_square_grid && grid.x != grid.y) continue;
        table.push_back(matrix_row(kernel, matrix, block, lab::Cache::cold));
    }
    return table;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("12_transpose_diagonal", argc, argv);
    const auto add = [&](std::size_t rows, std::size_t columns,
                         lab::Evidence evidence = lab::Evidence::by_size) {
        experiment.add(rows_of(rows, columns), evidence);
        experiment.add_memcpy(rows * columns * sizeof(float), lab::Cache::cold);
    };
    add(2048, 2048);
    for (const std::size_t side : {1920, 2056, 2080, 2112, 2176, 2240, 2304}) {
        add(side, side, lab::Evidence::measured);
    }
    for (const unsigned begun_percent : {0, 50, 90}) {
        experiment.add(
            block_order::row(experiment, lab::MatrixTranspose(8192, 8192), begun_percent),
            lab::Evidence::measured);
    }
    add(16384, 16384);
    add(16448, 16448);
    add(16384, 16448);
    add(16384, 32768);
    // 20 x 31 and 100 x 97 elements are square grids, of 2 x 2 and of 7 x 7 blocks.
    constexpr std::pair<std::size_t, std::size_t> shapes[] = {{1, 1},     {20, 31},   {100, 97},
                                                              {1, 1009},  {1009, 1},  {31, 33},
                                                              {127, 509}, {1030, 67}, {1009, 1009}};
    for (const auto& [rows, columns] : shapes) {
        experiment.add_validation(rows_of(rows, columns));
        experiment.add_validation(
            block_order::row(experiment, lab::MatrixTranspose(rows, columns), 0));
    }
    return experiment.run();
}
