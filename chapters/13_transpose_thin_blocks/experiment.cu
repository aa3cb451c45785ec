// Chapter 13: is a thin block of 8 x 32 threads the best for a transpose that reads columns?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, thin
// blocks for more parallelism. There: 2048 x 2048 floats, a Fermi M2090 with the L1 on; (8,32) is
// reported best among its block shapes, ahead of (16,16) with as many threads.
//
// Variants: transpose_read_columns (chapter 10) in nine block shapes as in the source, 8 x 8 to
//           32 x 32, and in two thinner ones, 4 x 32 and 4 x 64; transpose_read_rows in the same
//           shapes, to tell whether it is the load or the store that profits;
//           2048 x 2048 and 16384 x 16384 (2.1 GB; an emulated GPU predicts the time alone), cold.
// Model:    an element is a 4-byte load and a 4-byte store.
// Differs:  indices are 64 bits wide; loads go through the L1 as the compiler sets it.
#include <memory>
#include <string>
#include <utility>

#include "kernels.cuh"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/variant_name.hpp"
#include "problems/matrix_transpose.hpp"

namespace {

// `add` takes a variant: experiment.add for a row of the table, add_validation for a shape.
template <class Add>
void add_all(const std::shared_ptr<lab::MatrixTranspose>& matrix, std::size_t sets,
             const Add& add) {
    const std::size_t rows = matrix->rows();
    const std::size_t columns = matrix->columns();
    const dim3 blocks[] = {{8, 8},  {8, 16},  {8, 32},  {16, 8}, {16, 16}, {16, 32},
                           {32, 8}, {32, 16}, {32, 32}, {4, 32}, {4, 64}};
    const auto add_kernel = [&](const char* kernel_name, auto kernel, dim3 block, dim3 grid) {
        const std::string shape = std::to_string(block.x) + "x" + std::to_string(block.y);
        const std::string name = lab::variant_name(
            kernel_name,
            {{"block", shape}, {"rows", rows}, {"columns", columns}, {"cache", "cold"}});
        add(lab::transpose_variant(name, matrix, sets, [=](const float* in, float* out) {
            lab::launch(kernel, grid, block)(in, out, rows, columns);
        }));
    };
    for (const dim3 block : blocks) {
        add_kernel("transpose_read_columns", transpose_read_columns, block,
                   dim3(lab::blocks_for(rows, block.x), lab::blocks_for(columns, block.y)));
        add_kernel("transpose_read_rows", transpose_read_rows, block,
                   dim3(lab::blocks_for(columns, block.x), lab::blocks_for(rows, block.y)));
    }
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("13_transpose_thin_blocks", argc, argv);
    const auto add = [&](std::size_t side) {
        const lab::Emulation emulation = experiment.emulation(side == 2048);
        const auto matrix = std::make_shared<lab::MatrixTranspose>(side, side, emulation);
        add_all(matrix, experiment.cold_sets(matrix->bytes()),
                [&](lab::Variant variant) { experiment.add(std::move(variant), emulation); });
        experiment.add_memcpy(matrix->bytes() / 2, lab::Cache::cold);
    };
    add(2048);
    add(16384);

    for (const auto& [rows, columns] : lab::ragged_matrices) {
        add_all(std::make_shared<lab::MatrixTranspose>(rows, columns), 1,
                [&](lab::Variant variant) { experiment.add_validation(std::move(variant)); });
    }
    return experiment.run();
}
