// The rows of the kernels in l1.hpp: blocks of 16 x 16, first through the L1, then past it.
#pragma once

#include <memory>
#include <vector>

#include "l1.hpp"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/variant_name.hpp"
#include "problems/matrix_transpose.hpp"

inline lab::Variant l1_variant(const Kernel& kernel, bool through_l1,
                               const std::shared_ptr<lab::MatrixTranspose>& matrix,
                               lab::Cache cache, std::size_t sets) {
    const std::size_t rows = matrix->rows();
    const std::size_t columns = matrix->columns();
    const dim3 block(16, 16);
    const dim3 grid(
        lab::blocks_for(kernel.x_is_row ? rows : columns, kernel.elements_per_thread * block.x),
        lab::blocks_for(kernel.x_is_row ? columns : rows, block.y));
    const auto make = kernel.transposes ? lab::transpose_variant<float> : lab::copy_variant<float>;
    return make(lab::variant_name(kernel.name, {{"block", "16x16"},
                                                {"l1", through_l1 ? "on" : "off"},
                                                {"rows", rows},
                                                {"columns", columns},
                                                {"cache", lab::text(cache)}}),
                matrix, sets, [=, launch = kernel.launch](const float* in, float* out) {
                    launch(grid, block, in, out, rows, columns);
                });
}

inline std::vector<lab::Variant> l1_variants(const std::shared_ptr<lab::MatrixTranspose>& matrix,
                                             lab::Cache cache, std::size_t sets) {
    std::vector<lab::Variant> variants;
    for (const bool through_l1 : {true, false}) {
        for (const Kernel& kernel : through_l1 ? l1_on::kernels() : l1_off::kernels()) {
            variants.push_back(l1_variant(kernel, through_l1, matrix, cache, sets));
        }
    }
    return variants;
}

// Shapes that only have to be right.
inline void add_l1_validations(lab::Experiment& experiment, std::size_t rows, std::size_t columns) {
    const auto matrix = std::make_shared<lab::MatrixTranspose>(rows, columns);
    for (lab::Variant& variant : l1_variants(matrix, lab::Cache::warm, 1)) {
        experiment.add_validation(std::move(variant));
    }
}
