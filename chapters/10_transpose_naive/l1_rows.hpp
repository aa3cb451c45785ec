// The rows of the kernels in l1.hpp: blocks of 16 x 16, first through the L1, then past it.
#pragma once

#include "l1.hpp"
#include "lab/device/launch.hpp"
#include "lab/experiment/variant_name.hpp"
#include "problems/matrix_transpose.hpp"

inline lab::Variant l1_row(const Kernel& kernel, bool through_l1,
                           const lab::MatrixTranspose& matrix, lab::Cache cache) {
    const std::size_t across = kernel.x_is_row ? matrix.rows() : matrix.columns();
    const std::size_t down = kernel.x_is_row ? matrix.columns() : matrix.rows();
    const auto launch = lab::launch(
        kernel.code, lab::grid_over(across, down, {16 * kernel.per_thread, 16}), dim3(16, 16));
    const std::string name =
        lab::variant_name(kernel.name, {{"block", "16x16"}, {"l1", through_l1 ? "on" : "off"}});
    return kernel.transposes ? matrix.transpose_row(name, cache, launch)
                             : matrix.copy_row(name, cache, launch);
}

inline std::vector<lab::Variant> l1_rows(std::size_t rows, std::size_t columns, lab::Cache cache) {
    const lab::MatrixTranspose matrix(rows, columns);
    std::vector<lab::Variant> table;
    for (const bool through_l1 : {true, false}) {
        for (const Kernel& kernel : through_l1 ? l1_on::kernels() : l1_off::kernels()) {
            table.push_back(l1_row(kernel, through_l1, matrix, cache));
        }
    }
    return table;
}
