// Chapter 15: what does a bank conflict cost, and what removes it?
//
// Source: NVIDIA developer training: CUDA on Arm, shared memory: the row, column and padded examples
// (blocks of BLOCKSIZE x BLOCKSIZE), static and dynamic shared memory, broadcast and multicast, "the
// cost is the largest number of threads that meet in one bank".
//
// Variants: stage_rows, stage_columns      the source's examples; width 32 and 16, pitch from width up
//           stage_columns_dynamic          the same in dynamic shared memory
//           turn_tiles, ..._swizzled       stored by rows, loaded by columns: padding or permuting
//           load_strided                   elements of 2, 4, 8 and 16 bytes, strides 1 to 32; sharers:
//                                          neighbours that load the same element
//           copy_through_shared            4 to 48 KB of shared memory a block (shared_kb)
//           Matrices of 1024 and 4096 squared and 2^18 threads on a GPU; 512 squared and 1024 threads
//           on an emulated one.
// Model:    matrices and copies: a 4-byte load and a 4-byte store an element. load_strided: what
//           the threads load from shared memory, 32 rounds of 32 elements each.
// Differs:  the source has its barrier inside `if (inside)`, which not all threads of a ragged block
//           reach; here it stands outside. The source prints no times.
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels.cuh"
#include "lab/device_buffer.hpp"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/random_values.hpp"
#include "lab/validation.hpp"
#include "lab/variant_name.hpp"
#include "tiles.hpp"

namespace {

using Matrix = std::shared_ptr<StagedMatrix>;
constexpr int rounds = 32;
constexpr int block_size = 256;

template <int width>
dim3 grid_of(const Matrix& matrix) {
    return {lab::blocks_for(std::size_t(matrix->columns()), width),
            lab::blocks_for(std::size_t(matrix->rows()), width)};
}

template <int width, int pitch>
lab::Variant columns_variant(const lab::Experiment& experiment, const Matrix& matrix) {
    return staged_variant(experiment, "stage_columns", width, pitch, matrix, 0, [=](const float* in, float* out) {
        lab::launch(stage_columns<width, pitch>, grid_of<width>(matrix), dim3(width, width))(
            in, out, matrix->rows(), matrix->columns());
    });
}

template <int width>
lab::Variant rows_variant(const lab::Experiment& experiment, const Matrix& matrix) {
    return staged_variant(experiment, "stage_rows", width, width, matrix, 0, [=](const float* in, float* out) {
        lab::launch(stage_rows<width>, grid_of<width>(matrix), dim3(width, width))(
            in, out, matrix->rows(), matrix->columns());
    });
}

lab::Variant dynamic_variant(const lab::Experiment& experiment, int pitch, const Matrix& matrix) {
    constexpr int width = 32;
    const std::size_t shared_bytes = sizeof(float) * width * std::size_t(pitch);
    return staged_variant(
        experiment, "stage_columns_dynamic", width, pitch, matrix, 0, [=](const float* in, float* out) {
            lab::launch(stage_columns_dynamic, grid_of<width>(matrix), dim3(width, width), shared_bytes)(
                in, out, matrix->rows(), matrix->columns(), pitch);
        });
}

template <int width, int pitch>
lab::Variant turn_variant(const lab::Experiment& experiment, const Matrix& matrix) {
    return staged_variant(
        experiment, "turn_tiles", width, pitch, matrix, width, [=](const float* in, float* out) {
            lab::launch(turn_tiles<width, pitch>, grid_of<width>(matrix), dim3(width, width))(
                in, out, matrix->columns());
        });
}

template <int width>
lab::Variant swizzled_variant(const lab::Experiment& experiment, const Matrix& matrix) {
    return staged_variant(
        experiment, "turn_tiles_swizzled", width, width, matrix, width, [=](const float* in, float* out) {
            lab::launch(turn_tiles_swizzled<width>, grid_of<width>(matrix), dim3(width, width))(
                in, out, matrix->columns());
        });
}

template <class Add>
void add_stages(const lab::Experiment& experiment, const Matrix& matrix, Add add) {
    add(rows_variant<32>(experiment, matrix));
    add(rows_variant<16>(experiment, matrix));
    add(columns_variant<32, 32>(experiment, matrix));
    add(columns_variant<32, 33>(experiment, matrix));
    add(columns_variant<16, 16>(experiment, matrix));
    add(columns_variant<16, 17>(experiment, matrix));
    add(columns_variant<16, 18>(experiment, matrix));
    add(dynamic_variant(experiment, 32, matrix));
    add(dynamic_variant(experiment, 33, matrix));
}

template <class Add>
void add_turns(const lab::Experiment& experiment, const Matrix& matrix, Add add) {
    add(turn_variant<32, 32>(experiment, matrix));
    add(turn_variant<32, 33>(experiment, matrix));
    add(swizzled_variant<32>(experiment, matrix));
    add(turn_variant<16, 16>(experiment, matrix));
    add(turn_variant<16, 17>(experiment, matrix));
    add(turn_variant<16, 18>(experiment, matrix));
    add(swizzled_variant<16>(experiment, matrix));
}

lab::Variant copy_variant(const lab::Experiment& experiment, int kilobytes, const Matrix& matrix) {
    const int n = matrix->rows() * matrix->columns();
    lab::Variant variant = staged_variant(
        experiment, "copy_through_shared", 0, 0, matrix, 0, [=](const float* in, float* out) {
            lab::launch(copy_through_shared, lab::blocks_for(std::size_t(n), block_size), block_size,
                        std::size_t(kilobytes) * 1024)(in, out, n);
        });
    variant.name = lab::variant_name("copy_through_shared", {{"shared_kb", kilobytes},
                                                             {"block", block_size},
                                                             {"n", n},
                                                             {"cache", "cold"}});
    return variant;
}

template <class T>
lab::Variant strided_variant(int stride, int sharers, std::size_t n) {
    struct Buffers {
        lab::DeviceBuffer<T> in;
        lab::DeviceBuffer<unsigned> out;
    };
    // 1024 elements of any type, as words of 32 bits: their number, scrambled.
    const auto word_of = [](std::size_t i) { return unsigned(i * 2654435761u); };
    const auto buffers = std::make_shared<Buffers>();
    return {
        .name = lab::variant_name("load_strided", {{"element", sizeof(T)},
                                                   {"stride", stride},
                                                   {"sharers", sharers},
                                                   {"n", n}}),
        .bytes = double(n) * rounds * 32 * sizeof(T),
        .working_set_bytes = 1024 * sizeof(T) + n * sizeof(unsigned),
        .prepare =
            [=] {
                std::vector<unsigned> words(1024 * sizeof(T) / 4);
                for (std::size_t i = 0; i < words.size(); ++i) words[i] = word_of(i);
                const T* const elements = reinterpret_cast<const T*>(words.data());
                buffers->in = lab::DeviceBuffer<T>(std::span<const T>(elements, 1024));
                buffers->out = lab::DeviceBuffer<unsigned>(n);
            },
        .launch =
            [=](std::size_t) {
                lab::launch(load_strided<T>, unsigned(n / block_size), block_size)(
                    buffers->in.get(), buffers->out.get(), stride, sharers, rounds);
            },
        .check =
            [=] {
                const auto sum_of_element = [&](std::size_t i) {
                    if (sizeof(T) == 2) return word_of(i / 2) >> (i % 2 * 16) & 0xffff;
                    unsigned sum = 0;
                    for (std::size_t j = 0; j < sizeof(T) / 4; ++j) sum += word_of(i * sizeof(T) / 4 + j);
                    return sum;
                };
                std::vector<unsigned> expected(n);
                for (std::size_t lane = 0; lane < 32; ++lane) {
                    unsigned sum = 0;
                    for (int i = 0; i < 32; ++i) {
                        sum += sum_of_element(lane / std::size_t(sharers) * std::size_t(stride) + i);
                    }
                    for (std::size_t i = lane; i < n; i += 32) expected[i] = rounds * sum;
                }
                lab::expect_equal<unsigned>(buffers->out.to_host(), expected);
            }};
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("15_bank_conflicts", argc, argv);
    const bool emulated = experiment.device().emulated;
    const auto add = [&](lab::Variant variant) { experiment.add(std::move(variant)); };
    const auto validate = [&](lab::Variant variant) { experiment.add_validation(std::move(variant)); };

    for (const int size : emulated ? std::vector{512} : std::vector{1024, 4096}) {
        const auto square = std::make_shared<StagedMatrix>(size, size);
        add_stages(experiment, square, add);
        add_turns(experiment, square, add);
        if (size != 1024) {
            for (const int kilobytes : {4, 6, 8, 12, 16, 24, 32, 48}) {
                add(copy_variant(experiment, kilobytes, square));
            }
        }
        experiment.add_memcpy(square->bytes() / 2, lab::Cache::cold);
    }
    const std::size_t threads = emulated ? 1 << 10 : 1 << 18;
    for (int stride = 1; stride <= 32; ++stride) {
        add(strided_variant<unsigned short>(stride, 1, threads));
        add(strided_variant<unsigned>(stride, 1, threads));
        add(strided_variant<uint2>(stride, 1, threads));
        add(strided_variant<uint4>(stride, 1, threads));
    }
    for (const int sharers : {2, 4, 8, 16, 32}) add(strided_variant<unsigned>(32, sharers, threads));

    // Ragged: blocks that are partly or nearly all outside; one element; a single row and column.
    for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 67}, {67, 1}, {37, 101}, {96, 33}}) {
        const auto ragged = std::make_shared<StagedMatrix>(rows, columns);
        add_stages(experiment, ragged, validate);
        validate(copy_variant(experiment, 4, ragged));
    }
    add_turns(experiment, std::make_shared<StagedMatrix>(32, 96), validate);
    add_turns(experiment, std::make_shared<StagedMatrix>(160, 64), validate);
    return experiment.run();
}
