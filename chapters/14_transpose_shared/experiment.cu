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
//           .../order:pairs          two neighbouring columns of tiles in turns, by clusters of two blocks (Hopper)
//           .../l2_set_aside:30      with a part of the L2 for that alone (as in chapter 07)
//           transpose_tensor         tiles moved and swizzled by the copy engine, evicted last (Hopper or newer)
//           transpose                picks one of them: any shape; uint16, float and double
//           cublas_sgeam             NVIDIA's own (where cuBLAS is)
//           2048 x 2048, cold; 16384 x 16384, 16384 x 8192 and, of floats, 10000 x 10000, 9999 x 10007
//           and 16384 x 32768.
// Model:    an element is one load and one store of its size.
// Differs:  each row has, timed right behind it, the driver's copy of its matrix: memcpy_ratio. Launches
//           take turns on two matrices at least: of a line that is to be evicted last something might
//           be left for the next launch.
#include <cstdint>
#include <type_traits>

#include "lab/device/cublas.hpp"
#include "lab/experiment/chapter.hpp"
#include "problems/matrix_transpose.hpp"
#include "steps.cuh"

namespace {

template <class T>
using Matrix = lab::MatrixTransposeOf<T>;
using Rows = std::vector<lab::Variant>;

// Percent of what can be set aside of the L2, as in chapter 07.
constexpr unsigned set_aside = 30;

// Every column of tiles with the one `distance` columns further on, which may lie outside.
unsigned pairs_of_columns(unsigned columns, unsigned distance) {
    return lab::blocks_for(columns, 2 * distance) * distance;
}

// Blocks along the way of consecutive ones, and ways beside each other, for tiles of `down` rows and `across` columns.
struct Walk {
    unsigned along, beside;
};
template <class T>
Walk walk_of(const Step<T>& step, unsigned down, unsigned across) {
    switch (step.order) {
        case Order::across:
            return {across, down};
        case Order::down:
            return {down, across};
        case Order::apart: {
            const auto far = static_cast<unsigned>(65536 / (step.tile_columns * sizeof(T)));
            return {2 * down, pairs_of_columns(across, far)};
        }
        default:
            return {2 * down, pairs_of_columns(across, 1)};
    }
}

// A row whose reference is the driver's copy. Launches take turns on two matrices at least.
template <class T, class Launch>
lab::Variant row_of(const std::string& name, const Matrix<T>& matrix, Launch launch) {
    lab::Variant row = matrix.transpose_row(name, lab::Cache::cold, launch);
    row.min_sets = 2;
    row.reference = matrix.memcpy_reference();
    return row;
}

template <class T>
lab::Variant step_row(const Step<T>& step, const Matrix<T>& matrix, const std::string& name) {
    const unsigned down = lab::blocks_for(matrix.rows() + step.rows_above, step.tile_rows);
    const unsigned across = lab::blocks_for(matrix.columns(), step.tile_columns);
    const Walk walk = walk_of(step, down, across);
    // The limit of a grid's y and z. The kernels of two dimensions are given no matrix beyond it.
    const unsigned layers = lab::blocks_for(walk.beside, 65535);
    const dim3 grid(walk.along, lab::blocks_for(walk.beside, layers), layers);
    lab::Variant row = row_of(name, matrix, launch(step.code, grid, step.block, step.residency));
    row.needs = step.needs;
    return row;
}

// The copy engine takes matrices whose rows are multiples of 16 bytes, `out` included.
template <class T>
bool fits_tensor_copies(const Matrix<T>& matrix) {
    return matrix.rows() * sizeof(T) % 16 == 0 && matrix.columns() * sizeof(T) % 16 == 0;
}

template <class T>
lab::Variant tensor_row(const char* kernel, const Matrix<T>& matrix) {
    lab::Variant row = row_of(lab::variant_name(kernel, {{"type", type<T>}}), matrix,
                              transpose_by_tensor_copies<T>);
    row.needs = tensor_copies;
    return row;
}

// A program would call this: the fastest for the shape. Where rows begin in the middle of 256 bytes, tiles
// that the copy engine brings are.
template <class T>
lab::Variant best_row(const Matrix<T>& matrix) {
    const std::size_t rows = matrix.rows(), columns = matrix.columns();
    if (columns * sizeof(T) % 256 != 0 && fits_tensor_copies(matrix) && lab::has(tensor_copies)) {
        return tensor_row("transpose", matrix);
    }
    return step_row(best<T>(rows, columns), matrix,
                    lab::variant_name("transpose", {{"type", type<T>}}));
}

// cuBLAS counts columns first, so that `in`, rows x columns, is to it a matrix of columns x rows. The second operand,
// times 0, is not read.
lab::Variant cublas_row(const Matrix<float>& matrix) {
    lab::Variant row =
        row_of("cublas_sgeam", matrix,
               [](const float* in, float* out, std::size_t rows, std::size_t columns) {
                   using lab::cublas::Operation;
                   const int m = static_cast<int>(rows), n = static_cast<int>(columns);
                   lab::cublas::sgeam(Operation::transpose, Operation::none, m, n, 1, in, n, 0, out,
                                      m, out, m);
               });
    row.kind = lab::Kind::cublas;
    return row;
}

// The steps that are shown there and take this shape, and what picks one of them.
template <class T>
Rows rows_of(const Matrix<T>& matrix, unsigned shown_there) {
    Rows rows;
    for (const Step<T>& step : steps_of_type<T>()) {
        if ((step.shown_at & shown_there) == 0 || !step.takes(matrix.rows(), matrix.columns())) {
            continue;
        }
        rows.push_back(step_row(step, matrix, name_of(step)));
    }
    rows.push_back(best_row(matrix));
    if (fits_tensor_copies(matrix)) rows.push_back(tensor_row("transpose_tensor", matrix));
    return rows;
}

template <class T>
void add(lab::Experiment& experiment, std::size_t rows, std::size_t columns,
         unsigned shown_there = 0) {
    const Matrix<T> matrix(rows, columns);
    experiment.add(rows_of(matrix, shown_there));
    experiment.add(lab::with_l2_set_aside(best_row(matrix), set_aside));
    if constexpr (std::is_same_v<T, float>) {
        if (lab::cublas::is_available()) experiment.add(cublas_row(matrix));
    }
}

template <class T>
void add_shape(lab::Experiment& experiment, std::size_t rows, std::size_t columns,
               unsigned shown_there = 0) {
    experiment.add_validation(rows_of(Matrix<T>(rows, columns), shown_there));
}

}  // namespace

int main(int argc, char** argv) {
    using namespace shown;
    lab::Experiment experiment("14_transpose_shared", argc, argv);
    add<float>(experiment, 2048, 2048, naive | usual | ragged);
    add<std::uint16_t>(experiment, 2048, 2048);
    add<double>(experiment, 2048, 2048);
    add<float>(experiment, 16384, 16384, naive | usual | ragged | held_back);
    add<float>(experiment, 16384, 8192, usual | held_back);
    add<float>(experiment, 10000, 10000, usual);
    add<float>(experiment, 9999, 10007, ragged | pairs);
    add<float>(experiment, 16384, 32768, long_rows);
    add<std::uint16_t>(experiment, 16384, 8192);
    add<std::uint16_t>(experiment, 16384, 16384);
    add<double>(experiment, 16384, 8192);
    add<double>(experiment, 16384, 16384, long_rows);
    for (const std::size_t side : {2048, 16384}) {
        experiment.add_memcpy(sizeof(float) * side * side, lab::Cache::cold);
    }
    // 1000 x 72: whole vectors of every type, but no whole tile.
    constexpr std::pair<std::size_t, std::size_t> shapes[] = {
        {1, 1}, {1, 1009}, {1009, 1}, {31, 33}, {1000, 72}, {72, 1000}, {4097, 2049}};
    for (const auto& [rows, columns] : shapes) {
        add_shape<float>(experiment, rows, columns, naive | usual | ragged | held_back | pairs);
        add_shape<std::uint16_t>(experiment, rows, columns);
        add_shape<double>(experiment, rows, columns);
    }
    // Rows of 128 and of 256 KiB, no whole tiles down.
    add_shape<double>(experiment, 40, 16384, long_rows);
    add_shape<float>(experiment, 40, 65536, long_rows);
    add_shape<std::uint16_t>(experiment, 40, 65536, long_rows);
    // More tiles than the y direction of a grid can count.
    for (lab::Variant shape : rows_of(Matrix<float>(1, 5000000), 0)) {
        shape.evidence = lab::Evidence::measured;
        experiment.add_validation(std::move(shape));
    }
    return experiment.run();
}
