// Chapter 14: how near does a transpose through shared memory come to a copy?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014): chapter 4 ends without
// shared memory, at 2048 x 2048 floats; chapter 5 has the tile in it, padded and unrolled.
//
// Variants: transpose_read_columns   the better naive one (chapter 10)
//           transpose_tile           32 x 32 through shared memory; _padded (chapter 09), _swizzled
//           transpose_tile_unrolled  64 x 64, 16 loads in flight a thread; two orders of the blocks
//           transpose_vectors        accesses of 16 bytes; three orders, two shapes of the tile.
//           transpose_vectors_prefetch  its loads fetch 256 bytes to the L2 (Ampere or newer)
//           transpose_sectors        any shape: writes whole sectors of 32 bytes
//           ..._evict_last           the L2 keeps what is read longest (Ampere or newer)
//           .../blocks_per_sm:4      fewer blocks on an SM than fit: fewer reads wait at once (Hopper)
//           .../order:pairs          two neighbouring columns of tiles in turns, on a GPU by clusters of two blocks
//           .../l2_set_aside:30      with a part of the L2 for that alone (a GPU, as in chapter 07)
//           transpose_tensor         tiles moved and swizzled by the copy engine, evicted last (Hopper or newer)
//           transpose                picks one of them: any shape; uint16, float and double
//           cublas_sgeam             NVIDIA's own (GPU, where cuBLAS is)
//           2048 x 2048, cold; 16384 x 16384, 16384 x 8192 and, of floats, 10000 x 10000, 9999 x 10007
//           and 16384 x 32768, whose time alone an emulated GPU predicts.
// Model:    an element is one load and one store of its size.
// Differs:  each row has, timed right behind it, the driver's copy of its matrix: memcpy_ratio. Launches
//           take turns on two matrices at least: of a line that is to be evicted last something might
//           be left for the next launch.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "geam.hpp"
#include "lab/experiment.hpp"
#include "lab/l2_set_aside.hpp"
#include "lab/launch.hpp"
#include "lab/variant_name.hpp"
#include "problems/matrix_transpose.hpp"
#include "steps.cuh"
#include "tensor.hpp"

namespace {

// Percent of what can be set aside of the L2, as in chapter 07.
constexpr unsigned set_aside = 30;

// Matrices of one shape on which launches take turns, at least.
constexpr std::size_t sets_of_each = 2;

// Every column of tiles with the one `distance` columns further on, which may lie outside.
unsigned pairs_of_columns(unsigned columns, unsigned distance) {
    return lab::blocks_for(columns, 2 * distance) * distance;
}

// Blocks along the way of consecutive ones, and ways beside each other, for tiles of `down` rows and `across` columns.
struct Walk {
    unsigned along, beside;
};
template <class T>
Walk walk_of(const Transpose<T>& transpose, unsigned down, unsigned across) {
    switch (transpose.order) {
        case Order::across:
            return {across, down};
        case Order::down:
            return {down, across};
        case Order::apart: {
            const auto far = static_cast<unsigned>(65536 / (transpose.tile_columns * sizeof(T)));
            return {2 * down, pairs_of_columns(across, far)};
        }
        default:
            return {2 * down, pairs_of_columns(across, 1)};
    }
}

template <class T>
using Matrix = std::shared_ptr<lab::MatrixTransposeOf<T>>;

template <class T>
lab::Variant variant(const std::string& name, const Matrix<T>& matrix, std::size_t sets,
                     lab::MatrixLaunch<T> launch) {
    lab::Variant row = lab::transpose_variant(
        lab::variant_name(
            name, {{"rows", matrix->rows()}, {"columns", matrix->columns()}, {"cache", "cold"}}),
        matrix, sets, std::move(launch));
    row.reference = lab::MatrixTransposeOf<T>::memcpy_reference(matrix, sets);
    return row;
}

template <class T>
lab::Variant variant(const Transpose<T>& transpose, const Matrix<T>& matrix, std::size_t sets) {
    const std::size_t rows = matrix->rows(), columns = matrix->columns();
    const unsigned down = lab::blocks_for(rows + transpose.rows_above, transpose.tile_rows);
    const unsigned across = lab::blocks_for(columns, transpose.tile_columns);
    const Walk walk = walk_of(transpose, down, across);
    // The limit of a grid's y and z. The kernels of two dimensions are given no matrix beyond it.
    const unsigned layers = lab::blocks_for(walk.beside, 65535);
    const dim3 grid(walk.along, lab::blocks_for(walk.beside, layers), layers);
    const auto launched = launch(transpose.kernel, grid, transpose.block, transpose.residency);
    return variant<T>(transpose.name, matrix, sets,
                      [=](const T* in, T* out) { launched(in, out, rows, columns); });
}

// Where the copy engine takes it: rows of both matrices are multiples of 16 bytes.
template <class T>
bool has_tensor_copies(std::size_t rows, std::size_t columns) {
    return tensor::is_available() && rows * sizeof(T) % 16 == 0 && columns * sizeof(T) % 16 == 0;
}

template <class T>
std::string tensor_name() {
    return std::string("transpose_tensor/type:") + type<T>;
}

template <class T>
lab::Variant tensor_variant(const std::string& name, const Matrix<T>& matrix, std::size_t sets) {
    const std::size_t rows = matrix->rows(), columns = matrix->columns();
    return variant<T>(name, matrix, sets,
                      [=](const T* in, T* out) { tensor::transpose(in, out, rows, columns); });
}

// What a program would call: the fastest for the shape. Where rows begin in the middle of 256 bytes, tiles
// that the copy engine brings are.
template <class T>
lab::Variant best_variant(const Matrix<T>& matrix, std::size_t sets) {
    const std::size_t rows = matrix->rows(), columns = matrix->columns();
    if (columns * sizeof(T) % 256 == 0 || !has_tensor_copies<T>(rows, columns)) {
        return variant(best<T>(rows, columns), matrix, sets);
    }
    return tensor_variant(std::string("transpose/type:") + type<T>, matrix, sets);
}

template <class T>
void add_shape(lab::Experiment& experiment, std::size_t rows, std::size_t columns,
               const std::vector<Transpose<T>>& transposes) {
    const auto matrix = std::make_shared<lab::MatrixTransposeOf<T>>(rows, columns);
    for (const Transpose<T>& transpose : transposes) {
        if (!transpose.takes(rows, columns)) continue;
        experiment.add_validation(variant(transpose, matrix, 1));
    }
    experiment.add_validation(best_variant<T>(matrix, 1));
    if (has_tensor_copies<T>(rows, columns)) {
        experiment.add_validation(tensor_variant(tensor_name<T>(), matrix, 1));
    }
}

template <class T>
void add_rows(lab::Experiment& experiment, std::size_t rows, std::size_t columns,
              std::vector<Transpose<T>> transposes) {
    const lab::Emulation emulation = experiment.emulation(rows * columns <= 2048 * 2048);
    const auto matrix = std::make_shared<lab::MatrixTransposeOf<T>>(rows, columns, emulation);
    const std::size_t least = experiment.device().emulated ? 1 : sets_of_each;
    const std::size_t sets = std::max(experiment.cold_sets(matrix->bytes()), least);
    const auto add = [&](lab::Variant row) { experiment.add(std::move(row), emulation); };
    for (const Transpose<T>& transpose : transposes) {
        if (transpose.takes(rows, columns)) add(variant(transpose, matrix, sets));
    }
    add(best_variant<T>(matrix, sets));
    if (lab::has_l2_set_aside()) {
        experiment.add(lab::with_l2_set_aside(best_variant<T>(matrix, sets), set_aside));
    }
    if (has_tensor_copies<T>(rows, columns)) {
        add(tensor_variant(tensor_name<T>(), matrix, sets));
    }
    if constexpr (std::is_same_v<T, float>) {
        if (!lab::cublas::is_available()) return;
        auto geam = variant<T>("cublas_sgeam", matrix, sets,
                               [=](const T* in, T* out) { cublas_sgeam(in, out, rows, columns); });
        geam.kind = lab::Kind::cublas;
        experiment.add(std::move(geam));
    }
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("14_transpose_shared", argc, argv);
    add_rows(experiment, 2048, 2048, all_steps());
    add_rows<std::uint16_t>(experiment, 2048, 2048, {});
    add_rows<double>(experiment, 2048, 2048, {});
    experiment.add_memcpy(sizeof(float) * 2048 * 2048, lab::Cache::cold);
    // What a GPU's memory does not hold is left out; an emulated one has one shape at a time.
    std::size_t left = lab::backend::free_bytes() / 10 * 9;
    const auto fits = [&](std::size_t rows, std::size_t columns, std::size_t element_bytes) {
        if (experiment.device().emulated) return true;
        const std::size_t wanted = sets_of_each * 2 * rows * columns * element_bytes;
        const bool does = wanted <= left;
        if (does) left -= wanted;
        return does;
    };
    if (fits(16384, 16384, 4)) add_rows(experiment, 16384, 16384, all_steps() + held_back_steps());
    if (fits(16384, 8192, 4)) add_rows(experiment, 16384, 8192, main_steps() + held_back_steps());
    if (fits(10000, 10000, 4)) add_rows(experiment, 10000, 10000, main_steps());
    if (fits(9999, 10007, 4)) add_rows(experiment, 9999, 10007, ragged_steps() + pairs_steps());
    if (fits(16384, 32768, 4)) add_rows(experiment, 16384, 32768, orders<float>());
    if (fits(16384, 8192, 2)) add_rows<std::uint16_t>(experiment, 16384, 8192, {});
    if (fits(16384, 16384, 2)) add_rows<std::uint16_t>(experiment, 16384, 16384, {});
    if (fits(16384, 8192, 8)) add_rows<double>(experiment, 16384, 8192, {});
    if (fits(16384, 16384, 8)) add_rows(experiment, 16384, 16384, orders<double>());
    if (fits(16384, 16384, 4)) {
        experiment.add_memcpy(sizeof(float) * 16384 * 16384, lab::Cache::cold);
    }
    // 1000 x 72: whole vectors of every type, but no whole tile.
    const std::pair<std::size_t, std::size_t> shapes[] = {
        {1, 1}, {1, 1009}, {1009, 1}, {31, 33}, {1000, 72}, {72, 1000}, {4097, 2049}};
    for (const auto& [rows, columns] : shapes) {
        add_shape<float>(experiment, rows, columns,
                         all_steps() + held_back_steps() + pairs_steps());
        add_shape<std::uint16_t>(experiment, rows, columns, {});
        add_shape<double>(experiment, rows, columns, {});
    }
    // Rows of 128 and of 256 KiB, no whole tiles down.
    add_shape(experiment, 40, 16384, orders<double>());
    add_shape(experiment, 40, 65536, orders<float>());
    add_shape(experiment, 40, 65536, orders<std::uint16_t>());
    // More tiles than the y direction of a grid can count.
    if (!experiment.device().emulated) add_shape<float>(experiment, 1, 5000000, {});
    return experiment.run();
}
