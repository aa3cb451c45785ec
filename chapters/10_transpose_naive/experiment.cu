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
//           2048 x 2048 cold and warm, 16384 x 16384 cold (2.1 GB; GPU only).
// Model:    an element is a 4-byte load and a 4-byte store.
// Differs:  indices are 64 bits wide. The K10, K20 and K20X of the source never cache global loads in
//           the L1; the emulated Kepler is a K40, which does with -dlcm=ca.
#include <memory>
#include <string>
#include <utility>

#include "l1.hpp"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/variant_name.hpp"
#include "problems/matrix_transpose.hpp"

namespace {

lab::Variant variant(const Kernel& kernel, bool through_l1,
                     const std::shared_ptr<lab::MatrixTranspose>& matrix, lab::Cache cache,
                     std::size_t sets) {
    const std::size_t rows = matrix->rows();
    const std::size_t columns = matrix->columns();
    const dim3 block(16, 16);
    const dim3 grid(lab::blocks_for(kernel.x_is_row ? rows : columns, block.x),
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

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("10_transpose_naive", argc, argv);
    const auto add = [&](std::size_t side, lab::Cache cache) {
        const auto matrix = std::make_shared<lab::MatrixTranspose>(side, side);
        const std::size_t sets = experiment.sets(cache, matrix->bytes());
        for (const Kernel& kernel : l1_on::kernels()) {
            experiment.add(variant(kernel, true, matrix, cache, sets));
        }
        for (const Kernel& kernel : l1_off::kernels()) {
            experiment.add(variant(kernel, false, matrix, cache, sets));
        }
        experiment.add_memcpy(matrix->bytes() / 2, cache);
    };
    add(2048, lab::Cache::cold);
    if (!experiment.device().emulated) {
        add(2048, lab::Cache::warm);
        add(16384, lab::Cache::cold);
    }
    const std::pair<std::size_t, std::size_t> shapes[] = {{1, 1},   {1, 1009},  {1009, 1},
                                                          {31, 33}, {127, 509}, {1030, 67}};
    for (const auto& [rows, columns] : shapes) {
        const auto matrix = std::make_shared<lab::MatrixTranspose>(rows, columns);
        for (const Kernel& kernel : l1_on::kernels()) {
            experiment.add_validation(variant(kernel, true, matrix, lab::Cache::warm, 1));
        }
        for (const Kernel& kernel : l1_off::kernels()) {
            experiment.add_validation(variant(kernel, false, matrix, lab::Cache::warm, 1));
        }
    }
    return experiment.run();
}
