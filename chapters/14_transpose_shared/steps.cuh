// The kernels of this chapter as steps: their tiles and the order of their blocks, and which of them a shape gets.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../09_transpose_bounds/kernels.cuh"
#include "../10_transpose_naive/kernels.cuh"
#include "evict_last.hpp"
#include "kernels.cuh"
#include "lab/backend.hpp"
#include "lab/cuda_check.hpp"
#include "prefetch.hpp"
#include "residency.hpp"

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
inline const char* text(Order order) {
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
inline Transpose<float> two_per_sm(Transpose<float> transpose) {
    return held_back(std::move(transpose), 2, 76 * 1024);
}

// Rows that begin anywhere, where the GPU has clusters: the two blocks of a pair of columns begin at once, near
// each other. No block depends on the other one; an emulated GPU, which has no clusters, does without.
inline Transpose<float> in_pairs() {
    auto transpose =
        sectors<float>("transpose_sectors_evict_last",
                       evict_last_transpose<float>(EvictLast::pairs), Order::pairs, rows_of_pairs);
    if (!lab::backend::description().emulated) transpose.residency.cluster = 2;
    return transpose;
}

// Far more tiles than the SMs hold at once. Of fewer, all should be there from the beginning.
inline bool is_large(std::size_t rows, std::size_t columns, std::size_t tile_elements) {
    const auto sms = static_cast<std::size_t>(lab::backend::description().sm_count);
    return rows * columns / tile_elements >= 32 * sms;
}

// Whether what a pair of columns reads leaves the L2 room to keep it until the next pair needs its edge.
inline bool pairs_fit_the_l2(std::size_t rows) {
    const std::size_t read = rows * 2 * sector_columns * sizeof(float);
    return read <= lab::backend::description().l2_bytes / 7;
}

using Steps = std::vector<Transpose<float>>;

// A step each, as in the header comment; those of the first list are shown at every size.
inline Steps main_steps() {
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
inline Steps ragged_steps() {
    constexpr Order down = Order::down;
    Steps steps = {unrolled<float>(transpose_tile_unrolled<float, down>, down),
                   sectors<float>("transpose_sectors", transpose_sectors<float>)};
    if (const auto kernel = evict_last_transpose<float>(EvictLast::sectors)) {
        steps.push_back(sectors<float>("transpose_sectors_evict_last", kernel));
    }
    return steps;
}

// What a large matrix gains by: at the book's size all blocks are resident at once.
inline Steps held_back_steps() {
    if (!has_228_kb_per_sm()) return {};
    return {
        four_per_sm(vectors<float, 16>("transpose_vectors_evict_last",
                                       evict_last_transpose<float>(EvictLast::down), Order::down))};
}
inline Steps pairs_steps() {
    if (!has_228_kb_per_sm()) return {};
    return {in_pairs(), two_per_sm(in_pairs())};
}

inline Steps operator+(Steps one, const Steps& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

inline Steps all_steps() {
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
