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
//           2048 x 2048 cold and warm, 16384 x 16384 cold (2.1 GB; an emulated GPU
//           predicts the time alone).
// Model:    an element is a 4-byte load and a 4-byte store.
// Differs:  indices are 64 bits wide; loads go through the L1 as the compiler sets it, on a Fermi
//           as in the source (chapter 10 switches it off); the book's matrix fits an H200's L2,
//           so cold rows rotate through matrices that together exceed four times the L2.
#include <memory>
#include <string>
#include <utility>

#include "kernels.cuh"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/variant_name.hpp"
#include "problems/matrix_transpose.hpp"

namespace {

using Matrix = std::shared_ptr<lab::MatrixTranspose>;

std::string name_of(const char* kernel, const std::string& block, const Matrix& matrix,
                    lab::Cache cache) {
    return lab::variant_name(kernel, {{"block", block},
                                      {"rows", matrix->rows()},
                                      {"columns", matrix->columns()},
                                      {"cache", lab::text(cache)}});
}

// `add` takes a variant: experiment.add for a row of the table, add_validation for a shape.
template <class Add>
void add_all(const Matrix& matrix, lab::Cache cache, std::size_t sets, const Add& add) {
    const std::size_t rows = matrix->rows();
    const std::size_t columns = matrix->columns();
    const auto add_copy = [&](const char* kernel_name, auto kernel, dim3 block) {
        const std::string shape = std::to_string(block.x) + "x" + std::to_string(block.y);
        const dim3 grid(lab::blocks_for(columns, block.x), lab::blocks_for(rows, block.y));
        add(lab::copy_variant(name_of(kernel_name, shape, matrix, cache), matrix, sets,
                              [=](const float* in, float* out) {
                                  lab::launch(kernel, grid, block)(in, out, rows, columns);
                              }));
    };
    add_copy("copy_rows", copy_rows, {16, 16});
    add_copy("copy_rows", copy_rows, {32, 8});
    add_copy("copy_rows", copy_rows, {64, 4});
    add_copy("copy_columns", copy_columns, {16, 16});
    add_copy("copy_columns", copy_columns, {32, 8});

    const std::size_t n = rows * columns;
    const unsigned wide_blocks = lab::blocks_for(n, 4 * 4 * 256);
    if (wide_blocks <= lab::backend::description().max_grid_x) {
        add(lab::copy_variant(name_of("copy_wide", "256", matrix, cache), matrix, sets,
                              [=](const float* in, float* out) {
                                  lab::launch(copy_wide, wide_blocks, 256)(in, out, n);
                              }));
    }

    const dim3 tiles(lab::blocks_for(columns, 32), lab::blocks_for(rows, 32));
    add(lab::transpose_variant(name_of("transpose_tile_padded", "32x8", matrix, cache), matrix,
                               sets, [=](const float* in, float* out) {
                                   lab::launch(transpose_tile_padded, tiles, dim3(32, 8))(
                                       in, out, rows, columns);
                               }));
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("09_transpose_bounds", argc, argv);
    for (const auto [side, cache, emulation] : lab::square_cases(experiment)) {
        const auto matrix = std::make_shared<lab::MatrixTranspose>(side, side, emulation);
        add_all(matrix, cache, experiment.sets(cache, matrix->bytes()),
                [&](lab::Variant variant) { experiment.add(std::move(variant), emulation); });
        experiment.add_memcpy(matrix->bytes() / 2, cache);
    }
    for (const auto& [rows, columns] : lab::ragged_matrices) {
        add_all(std::make_shared<lab::MatrixTranspose>(rows, columns), lab::Cache::warm, 1,
                [&](lab::Variant variant) { experiment.add_validation(std::move(variant)); });
    }
    return experiment.run();
}
