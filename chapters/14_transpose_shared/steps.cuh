// The kernels of this chapter as steps: their tiles and the order of their blocks, and which of them a shape gets.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "../09_transpose_bounds/kernels.cuh"
#include "../10_transpose_naive/kernels.cuh"
#include "inline_ptx.hpp"
#include "kernels.cuh"
#include "lab/device/compute_capability.hpp"
#include "lab/experiment/variant_name.hpp"
#include "residency.hpp"

// The sizes at which a step is shown, as flags.
namespace shown {
constexpr unsigned naive = 1;       // where all are, beginning with the naive one
constexpr unsigned usual = 2;       // at most sizes
constexpr unsigned ragged = 4;      // where rows begin anywhere
constexpr unsigned held_back = 8;   // where all blocks are not resident at once
constexpr unsigned pairs = 16;      // at large sizes where rows begin anywhere
constexpr unsigned long_rows = 32;  // where rows are longer than 64 KiB
}  // namespace shown

template <class T>
struct Step {
    std::string kernel;
    TransposeKernel<T> code;
    Order order;  // of the blocks
    dim3 block;
    unsigned tile_rows, tile_columns;
    unsigned shown_at = 0;
    unsigned multiple = 1;    // rows and columns have to be multiples of this
    unsigned rows_above = 0;  // that the first tile may begin above the matrix
    lab::Feature needs = {};
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
    constexpr const char* texts[] = {"across", "down", "apart", "pairs"};  // as in Order
    return texts[static_cast<int>(order)];
}

// The naive kernel and those of 32 x 32 have a block in their name, all others their type, tile and order.
template <class T>
std::string name_of(const Step<T>& step) {
    if (const dim3 block = step.block; block.y > 1 && step.tile_columns <= 32) {
        return lab::variant_name(step.kernel, {{"block", block}});
    }
    std::string kernel = step.kernel;
    if (const unsigned blocks = step.residency.blocks_per_sm; blocks > 0) {
        kernel = lab::variant_name(kernel, {{"blocks_per_sm", blocks}});
    }
    const dim3 tile(step.tile_rows, step.tile_columns);
    return lab::variant_name(kernel,
                             {{"type", type<T>}, {"tile", tile}, {"order", text(step.order)}});
}

template <class T, unsigned height = threads_a_side, unsigned width = height>
Step<T> vectors(const char* kernel, TransposeKernel<T> code, Order order, unsigned shown_at = 0,
                lab::Feature needs = {}) {
    constexpr unsigned V = 16 / sizeof(T);
    return {kernel, code, order, height * width, V * height, V * width, shown_at, V, 0, needs};
}

template <class T>
Step<T> sectors(const char* kernel, TransposeKernel<T> code, Order order = Order::down,
                unsigned shown_at = 0, lab::Feature needs = {},
                unsigned tile_rows = sector_rows<T>) {
    return {kernel, code, order, 256, tile_rows, sector_columns, shown_at, 1, sector<T> - 1, needs};
}

// The same with fewer blocks on an SM. Our hypothesis: what all SMs read at once waits in the L2, where it takes room from
// what is written. The bytes of a block leave the L1 some 60 KB or more, through which the loads come.
template <class T>
Step<T> four_per_sm(Step<T> step) {
    step.residency.blocks_per_sm = 4;
    step.residency.block_bytes = 48 * 1024;
    return step;
}
inline Step<float> two_per_sm(Step<float> step) {
    step.residency.blocks_per_sm = 2;
    step.residency.block_bytes = 76 * 1024;
    return step;
}

// Rows that begin anywhere: the two blocks of a pair of columns begin at once, near each other. No block depends on the
// other one.
inline Step<float> in_pairs() {
    Step<float> step =
        sectors<float>("transpose_sectors_evict_last", hinted_transpose<float>(Hints::pairs),
                       Order::pairs, shown::pairs, cache_hints, rows_of_pairs);
    step.residency.cluster = 2;
    return step;
}

// A step each, as in the header comment of experiment.cu.
inline void add_steps_of_floats(std::vector<Step<float>>& steps) {
    constexpr Order across = Order::across, down = Order::down;
    const dim3 wide(32, 8), tall(8, 32);
    const std::vector<Step<float>> more = {
        {"transpose_read_columns", transpose_read_columns, down, tall, 8, 32, shown::naive},
        {"transpose_tile", transpose_tile, across, wide, 32, 32, shown::naive},
        {"transpose_tile_swizzled", transpose_tile_swizzled, across, wide, 32, 32, shown::naive},
        {"transpose_tile_padded", transpose_tile_padded, across, wide, 32, 32, shown::usual},
        {"transpose_tile_unrolled", transpose_tile_unrolled<float, across>, across, wide, 64, 64,
         shown::naive},
        {"transpose_tile_unrolled", transpose_tile_unrolled<float, down>, down, wide, 64, 64,
         shown::ragged},
        vectors<float>("transpose_vectors", transpose_vectors<float, 16, 16, across>, across,
                       shown::naive),
        vectors<float, 16, 32>("transpose_vectors", transpose_vectors<float, 16, 32, down>, down,
                               shown::usual),
        vectors<float>("transpose_vectors_prefetch", hinted_transpose<float>(Hints::prefetch), down,
                       shown::usual, cache_hints),
        vectors<float>("transpose_vectors_prefetch_evict_last",
                       hinted_transpose<float>(Hints::prefetch_evict_last), down, shown::usual,
                       cache_hints),
        sectors<float>("transpose_sectors", transpose_sectors<float>, down, shown::ragged),
        sectors<float>("transpose_sectors_evict_last", hinted_transpose<float>(Hints::sectors),
                       down, shown::ragged, cache_hints),
    };
    steps.insert(steps.end(), more.begin(), more.end());
    if (!has_228_kb_per_sm()) return;
    steps.push_back(four_per_sm(vectors<float>("transpose_vectors_evict_last",
                                               hinted_transpose<float>(Hints::evict_last), down,
                                               shown::held_back, cache_hints)));
    steps.push_back(in_pairs());
    steps.push_back(two_per_sm(in_pairs()));
}

template <class T>
std::vector<Step<T>> steps_of_type() {
    constexpr unsigned side = threads_a_side;
    constexpr Order down = Order::down, apart = Order::apart;
    std::vector<Step<T>> steps = {
        vectors<T>("transpose_vectors", transpose_vectors<T, side, side, down>, down,
                   shown::usual | shown::long_rows),
        vectors<T>("transpose_vectors", transpose_vectors<T, side, side, apart>, apart,
                   shown::long_rows),
        vectors<T>("transpose_vectors_evict_last", hinted_transpose<T>(Hints::evict_last), down,
                   shown::usual | shown::long_rows, cache_hints)};
    if constexpr (std::is_same_v<T, float>) add_steps_of_floats(steps);
    return steps;
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

// The fastest for rows that begin anywhere.
template <class T>
Step<T> best_of_ragged(std::size_t rows, std::size_t columns) {
    if constexpr (std::is_same_v<T, float>) {
        if (has_228_kb_per_sm() && is_large(rows, columns, rows_of_pairs * sector_columns) &&
            pairs_fit_the_l2(rows)) {
            return two_per_sm(in_pairs());
        }
        if (lab::has(cache_hints)) return sectors<T>("", hinted_transpose<T>(Hints::sectors));
    }
    return sectors<T>("", transpose_sectors<T>);
}

// The fastest for any shape among the kernels whose threads read. Where rows begin at no multiple of 256 bytes, tiles
// share those at their edges, and a fetch of all 256 serves both. Where they are longer than 64 KiB, two columns of
// tiles are read in turns. Before Ampere nothing can be said to the L2.
template <class T>
Step<T> best(std::size_t rows, std::size_t columns) {
    constexpr unsigned side = threads_a_side;
    const bool has_long_rows = columns * sizeof(T) > 65536;
    const bool is_aligned = columns * sizeof(T) % 256 == 0;
    const Order order = has_long_rows ? Order::apart : Order::down;
    const Hints hints = has_long_rows ? Hints::evict_last_apart
                        : is_aligned  ? Hints::evict_last
                                      : Hints::prefetch_evict_last;
    const auto plain = has_long_rows ? transpose_vectors<T, side, side, Order::apart>
                                     : transpose_vectors<T, side, side, Order::down>;
    const Step<T> step =
        vectors<T>("", lab::has(cache_hints) ? hinted_transpose<T>(hints) : plain, order);
    if (!step.takes(rows, columns)) return best_of_ragged<T>(rows, columns);
    // Blocks of doubles have half the bytes; registers hold back those of 2-byte elements.
    if (sizeof(T) == 4 && has_228_kb_per_sm() && is_large(rows, columns, 64 * 64)) {
        return four_per_sm(step);
    }
    return step;
}
