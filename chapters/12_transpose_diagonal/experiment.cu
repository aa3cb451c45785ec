// Chapter 12: does the diagonal order of blocks speed a naive transpose up?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Diagonal
// transpose: reading rows versus reading columns". There: 2048 x 2048 floats, blocks of 16 x 16, a
// Fermi M2090; memory is cut into partitions of 256 bytes, and blocks that run together shall not
// queue for one of them.
//
// Variants: transpose_read_rows, transpose_read_columns   blocks in row order (chapter 10)
//           ..._diagonal       the book's mapping; square grids only, others are refused
//           ..._diagonal_any   the same order in a grid of any shape
//           ..._unroll4, ..._diagonal_unroll4   four elements a thread (chapter 11), in either order
//           2048 x 2048, the book's size; squares of 16384 and of 16448 (2.2 GB), 16384 x 16448 and
//           16384 x 32768, whose time alone an emulated GPU predicts; on a GPU also squares of 1920
//           to 2304; cold. The side decides whether a column of the
//           matrix lies in one, some or all partitions (README.md has the arithmetic); squares,
//           because one kernel strides by the rows and the other by the columns.
// Model:    an element is a 4-byte load and a 4-byte store.
// Differs:  indices are 64 bits wide; loads go through the L1 as the compiler sets it.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../10_transpose_naive/kernels.cuh"
#include "../11_transpose_unroll4/kernels.cuh"
#include "kernels.cuh"
#include "lab/errors.hpp"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/variant_name.hpp"
#include "problems/matrix_transpose.hpp"

namespace {

struct Kernel {
    const char* name;
    void (*kernel)(const float*, float*, std::size_t, std::size_t);
    bool x_is_row;  // the x direction of the grid runs over the rows of `in`
    bool needs_square_grid;
    unsigned per_thread = 1;  // elements, in the x direction
};

const std::vector<Kernel> kernels = {
    {"transpose_read_rows", transpose_read_rows, false, false},
    {"transpose_read_rows_diagonal", transpose_read_rows_diagonal, false, true},
    {"transpose_read_rows_diagonal_any", transpose_read_rows_diagonal_any, false, false},
    {"transpose_read_rows_diagonal_unroll4", transpose_read_rows_diagonal_unroll4, false, false, 4},
    {"transpose_read_rows_unroll4", transpose_read_rows_unroll4, false, false, 4},
    {"transpose_read_columns", transpose_read_columns, true, false},
    {"transpose_read_columns_diagonal", transpose_read_columns_diagonal, true, true},
    {"transpose_read_columns_diagonal_any", transpose_read_columns_diagonal_any, true, false},
    {"transpose_read_columns_diagonal_unroll4", transpose_read_columns_diagonal_unroll4, true,
     false, 4},
    {"transpose_read_columns_unroll4", transpose_read_columns_unroll4, true, false, 4},
};

lab::Variant variant(const Kernel& kernel, const std::shared_ptr<lab::MatrixTranspose>& matrix,
                     std::size_t sets) {
    const std::size_t rows = matrix->rows();
    const std::size_t columns = matrix->columns();
    const dim3 block(16, 16);
    const dim3 grid(lab::blocks_for(kernel.x_is_row ? rows : columns, block.x * kernel.per_thread),
                    lab::blocks_for(kernel.x_is_row ? columns : rows, block.y));
    const std::string name = lab::variant_name(
        kernel.name, {{"block", "16x16"}, {"rows", rows}, {"columns", columns}, {"cache", "cold"}});
    return lab::transpose_variant(name, matrix, sets, [=](const float* in, float* out) {
        if (kernel.needs_square_grid && grid.x != grid.y) {
            throw lab::UsageError(name + ": this mapping leaves out blocks of a grid that is not " +
                                  "square; take " + kernel.name + "_any");
        }
        lab::launch(kernel.kernel, grid, block)(in, out, rows, columns);
    });
}

// Passes only if the launch is refused.
lab::Variant refused(lab::Variant variant) {
    variant.launch = [launch = variant.launch](std::size_t set) {
        try {
            launch(set);
        } catch (const lab::UsageError&) {
            return;
        }
        throw lab::ValidationError("a grid that is not square was not refused");
    };
    variant.check = [] {};
    return variant;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("12_transpose_diagonal", argc, argv);
    const auto add = [&](std::size_t rows, std::size_t columns) {
        const lab::Emulation emulation = experiment.emulation(rows * columns <= 2048 * 2048);
        const auto matrix = std::make_shared<lab::MatrixTranspose>(rows, columns, emulation);
        const std::size_t sets = experiment.cold_sets(matrix->bytes());
        for (const Kernel& kernel : kernels) {
            if (kernel.needs_square_grid && rows != columns) continue;
            experiment.add(variant(kernel, matrix, sets), emulation);
        }
        experiment.add_memcpy(matrix->bytes() / 2, lab::Cache::cold);
    };
    add(2048, 2048);
    if (!experiment.device().emulated) {
        for (const std::size_t side : {1920, 2056, 2080, 2112, 2176, 2240, 2304}) add(side, side);
    }
    for (const std::size_t side : {16384, 16448}) add(side, side);
    add(16384, 16448);
    add(16384, 32768);
    // 20 x 31 elements are a square grid of 2 x 2 blocks.
    const std::pair<std::size_t, std::size_t> shapes[] = {
        {1, 1}, {20, 31}, {1, 1009}, {1009, 1}, {31, 33}, {127, 509}, {1030, 67}, {1009, 1009}};
    for (const auto& [rows, columns] : shapes) {
        const auto matrix = std::make_shared<lab::MatrixTranspose>(rows, columns);
        const bool is_square = lab::blocks_for(rows, 16) == lab::blocks_for(columns, 16);
        for (const Kernel& kernel : kernels) {
            lab::Variant shape = variant(kernel, matrix, 1);
            if (kernel.needs_square_grid && !is_square) shape = refused(std::move(shape));
            experiment.add_validation(std::move(shape));
        }
    }
    return experiment.run();
}
