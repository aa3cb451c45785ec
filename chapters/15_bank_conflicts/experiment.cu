// Chapter 15: what does a bank conflict cost, and what removes it?
//
// Source: NVIDIA developer training: CUDA on Arm, shared memory: the row, column and padded examples
// (blocks of BLOCKSIZE x BLOCKSIZE), static and dynamic shared memory, broadcast and multicast, "the
// cost is the largest number of threads that meet in one bank".
//
// Variants: stage_rows, stage_columns      the book's examples; width 32 and 16, pitch from width up
//           stage_columns_dynamic          the same in dynamic shared memory
//           turn_tiles, ..._swizzled       stored by rows, loaded by columns: padding or permuting
//           load_strided                   elements of 2, 4, 8 and 16 bytes, strides 1 to 32; sharers:
//                                          neighbours that load the same element
//           combine_in_registers           the same number of operations without shared memory
//           copy_through_shared            4 to 48 KB of shared memory a block (shared_kb)
//           Matrices of 1024 squared, and on a GPU of 2048 squared; loads by one block of 1024 threads.
// Model:    matrices and copies: a 4-byte load and a 4-byte store an element. load_strided: what
//           the threads load from shared memory, 64 rounds of 32 elements each.
// Differs:  the source has its barrier inside `if (inside)`, which not all threads of a ragged block
//           reach; here it stands outside. The source prints no times.
#include <memory>
#include <string>
#include <vector>

#include "carve_out.hpp"
#include "kernels.cuh"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/variant_name.hpp"
#include "staged_matrix.hpp"
#include "strided_loads.hpp"

namespace {

using Matrix = std::shared_ptr<StagedMatrix>;
constexpr unsigned block_size = 256;

// Blocks of width x width threads. `turned_width`: see StagedMatrix::check.
template <class... Sizes>
lab::Variant staged(const lab::Experiment& experiment, const char* name, int width, int pitch,
                    const Matrix& matrix, int turned_width, std::size_t dynamic_shared_bytes,
                    void (*kernel)(const float*, float*, Sizes...), Sizes... sizes) {
    const unsigned threads = unsigned(width);
    const dim3 grid(lab::blocks_for(std::size_t(matrix->columns()), threads),
                    lab::blocks_for(std::size_t(matrix->rows()), threads));
    return staged_variant(experiment, name, width, pitch, matrix, turned_width,
                          [=](const float* in, float* out) {
                              lab::launch(kernel, grid, dim3(threads, threads),
                                          dynamic_shared_bytes)(in, out, sizes...);
                          });
}

template <int width>
lab::Variant rows_of(const lab::Experiment& experiment, const Matrix& matrix) {
    return staged(experiment, "stage_rows", width, width, matrix, 0, 0, stage_rows<width>,
                  matrix->rows(), matrix->columns());
}

template <int width, int pitch>
lab::Variant columns_of(const lab::Experiment& experiment, const Matrix& matrix) {
    return staged(experiment, "stage_columns", width, pitch, matrix, 0, 0,
                  stage_columns<width, pitch>, matrix->rows(), matrix->columns());
}

lab::Variant dynamic(const lab::Experiment& experiment, int pitch, const Matrix& matrix) {
    const std::size_t shared_bytes = sizeof(float) * 32 * std::size_t(pitch);
    return staged(experiment, "stage_columns_dynamic", 32, pitch, matrix, 0, shared_bytes,
                  stage_columns_dynamic, matrix->rows(), matrix->columns(), pitch);
}

template <int width, int pitch>
lab::Variant turned(const lab::Experiment& experiment, const Matrix& matrix) {
    return staged(experiment, "turn_tiles", width, pitch, matrix, width, 0,
                  turn_tiles<width, pitch>, matrix->columns());
}

template <int width>
lab::Variant swizzled(const lab::Experiment& experiment, const Matrix& matrix) {
    return staged(experiment, "turn_tiles_swizzled", width, width, matrix, width, 0,
                  turn_tiles_swizzled<width>, matrix->columns());
}

template <class Add>
void add_stages(const lab::Experiment& experiment, const Matrix& matrix, Add add) {
    add(rows_of<32>(experiment, matrix));
    add(rows_of<16>(experiment, matrix));
    add(columns_of<32, 32>(experiment, matrix));
    add(columns_of<32, 33>(experiment, matrix));
    add(columns_of<16, 16>(experiment, matrix));
    add(columns_of<16, 17>(experiment, matrix));
    add(columns_of<16, 18>(experiment, matrix));
    add(dynamic(experiment, 32, matrix));
    add(dynamic(experiment, 33, matrix));
}

template <class Add>
void add_turns(const lab::Experiment& experiment, const Matrix& matrix, Add add) {
    add(turned<32, 32>(experiment, matrix));
    add(turned<32, 33>(experiment, matrix));
    add(swizzled<32>(experiment, matrix));
    add(turned<16, 16>(experiment, matrix));
    add(turned<16, 17>(experiment, matrix));
    add(turned<16, 18>(experiment, matrix));
    add(swizzled<16>(experiment, matrix));
}

lab::Variant copy_variant(const lab::Experiment& experiment, int kilobytes, const Matrix& matrix) {
    const int n = matrix->rows() * matrix->columns();
    lab::Variant variant = staged_variant(
        experiment, "copy_through_shared", 0, 0, matrix, 0, [=](const float* in, float* out) {
            lab::launch(copy_through_shared, lab::blocks_for(std::size_t(n), block_size),
                        block_size, std::size_t(kilobytes) * 1024)(in, out, n);
        });
    variant.name = lab::variant_name(
        "copy_through_shared",
        {{"shared_kb", kilobytes}, {"block", block_size}, {"n", n}, {"cache", "cold"}});
    return variant;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("15_bank_conflicts", argc, argv);
    const bool emulated = experiment.device().emulated;
    const auto add = [&](lab::Variant variant) { experiment.add(std::move(variant)); };
    const auto validate = [&](lab::Variant variant) {
        experiment.add_validation(std::move(variant));
    };

    for (const int size : emulated ? std::vector{1024} : std::vector{1024, 2048}) {
        const auto square = std::make_shared<StagedMatrix>(size, size);
        add_stages(experiment, square, add);
        add_turns(experiment, square, add);
        for (const int kilobytes : {4, 6, 8, 12, 16, 24, 32, 48}) {
            add(copy_variant(experiment, kilobytes, square));
        }
        experiment.add_memcpy(square->bytes() / 2, lab::Cache::cold);
    }
    for (int stride = 1; stride <= 32; ++stride) {
        add(strided_variant<unsigned short>(stride, 1));
        add(strided_variant<unsigned>(stride, 1));
        add(strided_variant<uint2>(stride, 1));
        add(strided_variant<uint4>(stride, 1));
    }
    for (const int sharers : {2, 4, 8, 16, 32}) {
        add(strided_variant<unsigned>(32, sharers));
    }
    add(registers_variant());
    add(reread_variant(experiment, 0));
    add(reread_variant(experiment, 48 << 10));

    // Ragged: blocks that are partly or nearly all outside; one element; a single row and column.
    constexpr std::pair<int, int> ragged[] = {{1, 1}, {1, 67}, {67, 1}, {37, 101}, {96, 33}};
    for (const auto& [rows, columns] : ragged) {
        const auto ragged = std::make_shared<StagedMatrix>(rows, columns);
        add_stages(experiment, ragged, validate);
        validate(copy_variant(experiment, 4, ragged));
    }
    add_turns(experiment, std::make_shared<StagedMatrix>(32, 96), validate);
    add_turns(experiment, std::make_shared<StagedMatrix>(160, 64), validate);
    validate(swizzled<8>(experiment, std::make_shared<StagedMatrix>(40, 24)));
    return experiment.run();
}
