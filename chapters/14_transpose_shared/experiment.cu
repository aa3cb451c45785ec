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
//           2048 x 2048, cold; on a GPU also 16384 x 16384, 16384 x 8192 and, of floats,
//           10000 x 10000, 9999 x 10007 and 16384 x 32768.
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

#include "../09_transpose_bounds/kernels.cuh"
#include "../10_transpose_naive/kernels.cuh"
#include "evict_last.hpp"
#include "geam.hpp"
#include "kernels.cuh"
#include "lab/experiment.hpp"
#include "lab/l2_set_aside.hpp"
#include "lab/launch.hpp"
#include "lab/variant_name.hpp"
#include "prefetch.hpp"
#include "problems/matrix_transpose.hpp"
#include "residency.hpp"
#include "tensor.hpp"

namespace {

// Percent of what can be set aside of the L2, as in chapter 07.
constexpr unsigned set_aside = 30;

// Matrices of one shape on which launches take turns, at least.
constexpr std::size_t sets_of_each = 2;

template <class T>
struct Transpose {
    std::string name;
    TransposeKernel<T> kernel;
    Order order;  // of the blocks
    dim3 block;
    unsigned tile_rows, tile_columns;
    unsigned multiple = 1;    // of which rows and columns have to be
    unsigned rows_above = 0;  // that the first tile may begin above the matrix
    Residency residency = {};

    bool takes(std::size_t rows, std::size_t columns) const {
        return rows % multiple == 0 && columns % multiple == 0;
    }
};

template <class T>
constexpr const char* type = sizeof(T) == 2   ? "uint16"
                             : sizeof(T) == 4 ? "float"
                                              : "double";
const char* text(Order order) {
    switch (order) {
        case Order::across:
            return "across";
        case Order::down:
            return "down";
        case Order::apart:
            return "apart";
        default:
            return "pairs";
    }
}

template <class T>
Transpose<T> unrolled(TransposeKernel<T> kernel, Order order) {
    const std::string name =
        std::string("transpose_tile_unrolled/type:") + type<T> + "/tile:64x64/order:";
    return {name + text(order), kernel, order, dim3(32, 8), 64, 64};
}

template <class T, unsigned height, unsigned width = height>
Transpose<T> vectors(const std::string& name, TransposeKernel<T> kernel, Order order) {
    constexpr unsigned V = 16 / sizeof(T);
    const std::string tile = std::to_string(V * height) + "x" + std::to_string(V * width);
    return {name + "/type:" + std::string(type<T>) + "/tile:" + tile + "/order:" + text(order),
            kernel,
            order,
            height * width,
            V * height,
            V * width,
            V};
}

template <class T>
Transpose<T> sectors(const std::string& name, TransposeKernel<T> kernel, Order order = Order::down,
                     unsigned tile_rows = sector_rows<T>) {
    const std::string tile = std::to_string(tile_rows) + "x" + std::to_string(sector_columns);
    return {name + "/type:" + type<T> + "/tile:" + tile + "/order:" + text(order),
            kernel,
            order,
            256,
            tile_rows,
            sector_columns,
            1,
            sector<T> - 1};
}

// The same with so many blocks on an SM of 228 KB of shared memory, by leaving some of it alone. Our
// hypothesis: what all SMs read at once waits in the L2, where it takes room from what is written. `block_bytes`,
// all that a block asks for, also leaves the L1 some 60 KB or more, through which the loads come.
template <class T>
Transpose<T> held_back(Transpose<T> transpose, unsigned blocks_per_sm, std::size_t block_bytes) {
    cudaFuncAttributes attributes{};
    LAB_CUDA_CHECK(cudaFuncGetAttributes(&attributes, transpose.kernel));
    transpose.residency.unused_bytes = block_bytes - attributes.sharedSizeBytes;
    transpose.name.insert(std::min(transpose.name.find('/'), transpose.name.size()),
                          "/blocks_per_sm:" + std::to_string(blocks_per_sm));
    return transpose;
}
template <class T>
Transpose<T> four_per_sm(Transpose<T> transpose) {
    return held_back(std::move(transpose), 4, 48 * 1024);
}
Transpose<float> two_per_sm(Transpose<float> transpose) {
    return held_back(std::move(transpose), 2, 76 * 1024);
}

// Rows that begin anywhere, where the GPU has clusters: the two blocks of a pair of columns begin at once, near
// each other. No block depends on the other one; an emulated GPU, which has no clusters, does without.
Transpose<float> in_pairs() {
    auto transpose =
        sectors<float>("transpose_sectors_evict_last",
                       evict_last_transpose<float>(EvictLast::pairs), Order::pairs, rows_of_pairs);
    if (!lab::backend::description().emulated) transpose.residency.cluster = 2;
    return transpose;
}

// Far more tiles than the SMs hold at once. Of fewer, all should be there from the beginning.
bool is_large(std::size_t rows, std::size_t columns, std::size_t tile_elements) {
    const auto sms = static_cast<std::size_t>(lab::backend::description().sm_count);
    return rows * columns / tile_elements >= 32 * sms;
}

// Whether what a pair of columns reads leaves the L2 room to keep it until the next pair needs its edge.
bool pairs_fit_the_l2(std::size_t rows) {
    const std::size_t read = rows * 2 * sector_columns * sizeof(float);
    return read <= lab::backend::description().l2_bytes / 7;
}

using Steps = std::vector<Transpose<float>>;

// A step each, as in the header comment; those of the first list are shown at every size.
Steps main_steps() {
    constexpr Order down = Order::down;
    Steps steps = {
        {"transpose_tile_padded/block:32x8", transpose_tile_padded, Order::across, dim3(32, 8), 32,
         32},
        vectors<float, 16>("transpose_vectors", transpose_vectors<float, 16, 16, down>, down),
        vectors<float, 16, 32>("transpose_vectors", transpose_vectors<float, 16, 32, down>, down),
    };
    if (const auto kernel = prefetching_transpose<float>()) {
        steps.push_back(vectors<float, 16>("transpose_vectors_prefetch", kernel, down));
    }
    if (const auto kernel = evict_last_transpose<float>(EvictLast::down)) {
        steps.push_back(vectors<float, 16>("transpose_vectors_evict_last", kernel, down));
    }
    if (const auto kernel = evict_last_transpose<float>(EvictLast::prefetch)) {
        steps.push_back(vectors<float, 16>("transpose_vectors_prefetch_evict_last", kernel, down));
    }
    return steps;
}

// Those that take any shape.
Steps ragged_steps() {
    constexpr Order down = Order::down;
    Steps steps = {unrolled<float>(transpose_tile_unrolled<float, down>, down),
                   sectors<float>("transpose_sectors", transpose_sectors<float>)};
    if (const auto kernel = evict_last_transpose<float>(EvictLast::sectors)) {
        steps.push_back(sectors<float>("transpose_sectors_evict_last", kernel));
    }
    return steps;
}

// What a large matrix gains by: at the book's size all blocks are resident at once.
Steps held_back_steps() {
    if (!has_228_kb_per_sm()) return {};
    return {
        four_per_sm(vectors<float, 16>("transpose_vectors_evict_last",
                                       evict_last_transpose<float>(EvictLast::down), Order::down))};
}
Steps pairs_steps() {
    if (!has_228_kb_per_sm()) return {};
    return {in_pairs(), two_per_sm(in_pairs())};
}

Steps operator+(Steps one, const Steps& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

Steps all_steps() {
    constexpr Order across = Order::across, down = Order::down;
    Steps steps = {
        {"transpose_read_columns/block:8x32", transpose_read_columns, down, dim3(8, 32), 8, 32},
        {"transpose_tile/block:32x8", transpose_tile, across, dim3(32, 8), 32, 32},
        {"transpose_tile_swizzled/block:32x8", transpose_tile_swizzled, across, dim3(32, 8), 32,
         32},
        unrolled<float>(transpose_tile_unrolled<float, across>, across),
        vectors<float, 16>("transpose_vectors", transpose_vectors<float, 16, 16, across>, across),
    };
    return steps + ragged_steps() + main_steps();
}

// The fastest for any shape among the kernels whose threads read. Where rows begin at no multiple of 256 bytes, tiles
// share those at their edges, and a fetch of all 256 serves both. Where they are longer than 64 KiB, two columns of
// tiles are read in turns. Before Ampere nothing can be said to the L2.
template <class T>
Transpose<T> best(std::size_t rows, std::size_t columns) {
    constexpr unsigned side = threads_a_side;
    const auto either = [](EvictLast which, TransposeKernel<T> plain) {
        const TransposeKernel<T> kernel = evict_last_transpose<T>(which);
        return kernel ? kernel : plain;
    };
    const auto turned = [&] {
        constexpr Order down = Order::down, apart = Order::apart;
        const auto plain = transpose_vectors<T, side, side, down>;
        if (columns * sizeof(T) > 65536) {
            const auto in_turns = transpose_vectors<T, side, side, apart>;
            return vectors<T, side>("", either(EvictLast::apart, in_turns), apart);
        }
        const bool aligned = columns * sizeof(T) % 256 == 0;
        const EvictLast which = aligned ? EvictLast::down : EvictLast::prefetch;
        return vectors<T, side>("", either(which, plain), down);
    };
    auto chosen = turned();
    // Blocks of doubles have half the bytes; registers hold back those of 2-byte elements.
    if (sizeof(T) == 4 && has_228_kb_per_sm() && is_large(rows, columns, 64 * 64)) {
        chosen = four_per_sm(chosen);
    }
    if (!chosen.takes(rows, columns)) {
        chosen = sectors<T>("", either(EvictLast::sectors, transpose_sectors<T>));
        if constexpr (std::is_same_v<T, float>) {
            if (has_228_kb_per_sm() && is_large(rows, columns, rows_of_pairs * sector_columns) &&
                pairs_fit_the_l2(rows)) {
                chosen = two_per_sm(in_pairs());
            }
        }
    }
    chosen.name = std::string("transpose/type:") + type<T>;
    return chosen;
}

// What `best` chooses between where rows are longer than 64 KiB.
template <class T>
std::vector<Transpose<T>> orders() {
    constexpr unsigned side = threads_a_side;
    constexpr Order down = Order::down, apart = Order::apart;
    std::vector<Transpose<T>> steps = {
        vectors<T, side>("transpose_vectors", transpose_vectors<T, side, side, down>, down),
        vectors<T, side>("transpose_vectors", transpose_vectors<T, side, side, apart>, apart)};
    if (const auto kernel = evict_last_transpose<T>(EvictLast::down)) {
        steps.push_back(vectors<T, side>("transpose_vectors_evict_last", kernel, down));
    }
    return steps;
}

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
    const auto matrix = std::make_shared<lab::MatrixTransposeOf<T>>(rows, columns);
    const std::size_t least = experiment.device().emulated ? 1 : sets_of_each;
    const std::size_t sets = std::max(experiment.cold_sets(matrix->bytes()), least);
    for (const Transpose<T>& transpose : transposes) {
        if (transpose.takes(rows, columns)) experiment.add(variant(transpose, matrix, sets));
    }
    experiment.add(best_variant<T>(matrix, sets));
    if (lab::has_l2_set_aside()) {
        experiment.add(lab::with_l2_set_aside(best_variant<T>(matrix, sets), set_aside));
    }
    if (has_tensor_copies<T>(rows, columns)) {
        experiment.add(tensor_variant(tensor_name<T>(), matrix, sets));
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
    // What a GPU's memory does not hold is left out.
    std::size_t left = experiment.device().emulated ? 0 : lab::backend::free_bytes() / 10 * 9;
    const auto fits = [&](std::size_t rows, std::size_t columns, std::size_t element_bytes) {
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
