// Rows of kernels that move a matrix, and the experiment that shows them.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "lab/device/launch.hpp"
#include "lab/experiment/experiment.hpp"
#include "lab/experiment/variant_name.hpp"
#include "problems/matrix_transpose.hpp"

namespace lab {

// The blocks that cover a matrix.
inline dim3 grid_of(const MatrixKernel& kernel, const MatrixTranspose& matrix, dim3 block) {
    const std::size_t across = kernel.x_is_row ? matrix.rows() : matrix.columns();
    const std::size_t down = kernel.x_is_row ? matrix.columns() : matrix.rows();
    return grid_over(across, down, dim3(block.x * kernel.per_thread, block.y));
}

// "name/block:…/rows:…/columns:…/cache:…"; with "/l1:…" behind the block, where it is given.
inline Variant matrix_row(const MatrixKernel& kernel, const MatrixTranspose& matrix, dim3 block,
                          Cache cache, const char* l1 = nullptr) {
    std::string name = variant_name(kernel.name, {{"block", block}});
    if (l1 != nullptr) name = variant_name(name, {{"l1", l1}});
    const auto move = launch(kernel.code, grid_of(kernel, matrix, block), block);
    return kernel.transposes ? matrix.transpose_row(name, cache, move)
                             : matrix.copy_row(name, cache, move);
}

// Adds the rows `rows_of(matrix, cache)` of each square, with the driver's copy of it, and validates them at the shapes.
template <class RowsOf>
void add_matrices(Experiment& experiment, std::span<const SquareCase> squares,
                  std::span<const std::pair<std::size_t, std::size_t>> shapes, RowsOf rows_of) {
    for (const auto& [side, cache] : squares) {
        experiment.add(rows_of(MatrixTranspose(side, side), cache));
        experiment.add_memcpy(side * side * sizeof(float), cache);
    }
    for (const auto& [rows, columns] : shapes) {
        experiment.add_validation(rows_of(MatrixTranspose(rows, columns), Cache::warm));
    }
}

}  // namespace lab
