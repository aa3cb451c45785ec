// The steps of chapter 19, each as one launch that multiplies.
#pragma once

#include <stdexcept>

#include "../17_matmul_tiled/kernels.cuh"
#include "bulk.hpp"
#include "gemm.hpp"
#include "kernels.cuh"
#include "lab/device/compute_capability.hpp"
#include "lab/device/launch.hpp"

namespace matmul {

inline dim3 tiles_of(const Gemm& gemm, Tile tile) {
    return lab::grid_over(gemm.n, gemm.m, dim3(tile.columns, tile.rows));
}

inline void tiled(const Gemm& g) {
    if (g.m % 32 != 0 || g.n % 32 != 0 || g.k % 32 != 0) {
        throw std::invalid_argument("matmul_tiled: m, n and k have to be multiples of 32");
    }
    lab::launch(matmul_tiled<32>, tiles_of(g, {32, 32}), dim3(32, 32))(g.a, g.b, g.c, g.n, g.k);
}

inline void thread_tiles(const Gemm& g) {
    lab::launch(matmul_thread_tiles, tiles_of(g, {128, 128}), dim3(16, 16))(g.a, g.b, g.c, g.m, g.n,
                                                                            g.k);
}

inline void vectorised(const Gemm& g) {
    if (g.n % 4 != 0 || g.k % 4 != 0) {
        throw std::invalid_argument("matmul_vectorised: n and k have to be multiples of 4");
    }
    lab::launch(matmul_vectorised, tiles_of(g, {128, 128}), 256)(g.a, g.b, g.c, g.m, g.n, g.k);
}

template <bool vectors>
void double_buffered_by(const Gemm& g, Tile tile) {
    const auto kernel = tile.rows == 64      ? matmul_double_buffered<64, 64, vectors>
                        : tile.columns == 64 ? matmul_double_buffered<128, 64, vectors>
                                             : matmul_double_buffered<128, 128, vectors>;
    lab::launch(kernel, tiles_of(g, tile), tile.rows * tile.columns / 64)(
        g.m, g.n, g.k, g.alpha, g.a, g.lda, g.b, g.ldb, g.beta, g.c, g.ldc);
}

inline void double_buffered(const Gemm& g, Tile tile) {
    g.is_aligned() ? double_buffered_by<true>(g, tile) : double_buffered_by<false>(g, tile);
}

// The last step: the tiles of the last wave divided, where it would leave SMs idle.
inline void last_step(const Gemm& g, Tile tile) {
    balanced::improves(g, tile) ? balanced::multiply(g, balanced::blocks_at_a_time())
                                : reuse::multiply(g, tile);
}

// A program would call this, on one stream: the fastest kernel that can.
inline void fast(const Gemm& g, Tile tile) {
    g.is_aligned() && lab::has(bulk::copies) ? last_step(g, tile) : double_buffered(g, tile);
}

}  // namespace matmul
