// Kernels of chapter 27 with mma.sync, a step each: PTX's own instructions for what wmma hides.
#pragma once

#include "mma_parts.cuh"

namespace tensor {

// Against matmul_wmma_tiled: the same tiles, but fragments are loaded by ldmatrix where their layout is known, so the layout of
// the tiles is free. plain: rows as they are, 64 and 256 bytes long; eight of them at a time are read from the same banks.
// padded: each row is 16 bytes longer. swizzled: as long as plain, pieces of 16 bytes change places by their row. n and k are multiples
// of 8.
template <Layout layout>
__global__ void __launch_bounds__(threads, 2)
    matmul_mma(const half* a, const half* b, float* c, int m, int n, int k) {
    using Here = Tiles<half, layout>;
    alignas(128) __shared__ char tiles[Here::bytes];
    const int row = tile * blockIdx.y, column = tile * blockIdx.x, warp = threadIdx.x / 32;
    const int warp_row = warp_rows * (warp / 4), warp_column = warp_columns * (warp % 4);
    float sums[4][4][4] = {};
    for (int first = 0; first < k; first += Here::depth) {
#pragma unroll
        for (int i = threadIdx.x; i < tile * 4; i += threads) {
            const int a_row = i / 4, a_piece = i % 4, b_row = i / 16, b_piece = i % 16;
            const bool has_a = row + a_row < m && first + 8 * a_piece < k;
            const bool has_b = first + b_row < k && column + 8 * b_piece < n;
            const half* const from_a =
                a + static_cast<long long>(row + a_row) * k + first + 8 * a_piece;
            const half* const from_b =
                b + static_cast<long long>(first + b_row) * n + column + 8 * b_piece;
            const uint4 zero = {};
            *reinterpret_cast<uint4*>(tiles + Here::a_offset(a_row, a_piece)) =
                has_a ? *reinterpret_cast<const uint4*>(from_a) : zero;
            *reinterpret_cast<uint4*>(tiles + Here::b_offset(b_row, b_piece)) =
                has_b ? *reinterpret_cast<const uint4*>(from_b) : zero;
        }
        __syncthreads();
        multiply_tiles<half, layout>(sums, tiles, warp_row, warp_column);
        __syncthreads();
    }
    store_sums<true>(sums, c, m, n, row + warp_row, column + warp_column);
}

// Asynchronous copies of one phase's tiles into shared memory. `vectors`: rows of a and b begin at multiples of 16 bytes; else single
// elements are copied, by the threads.
template <class T, bool vectors>
__device__ void fetch(char* tiles, const T* a, const T* b, int m, int n, int k, int row, int column,
                      int first) {
    using Here = Tiles<T, Layout::swizzled>;
    const auto fetch_piece = [&](char* to, const T* matrix, int at_row, int rows, int at_column,
                                 int columns) {
        const T* const from = matrix + static_cast<long long>(at_row) * columns + at_column;
        if (vectors) {
            const bool is_inside = at_row < rows && at_column < columns;
            copy_piece(to, is_inside ? from : matrix, is_inside);
        } else {
            for (int i = 0; i < Here::elements; ++i) {
                const bool is_inside = at_row < rows && at_column + i < columns;
                reinterpret_cast<T*>(to)[i] = is_inside ? from[i] : T(0.0f);
            }
        }
    };
#pragma unroll
    for (int i = threadIdx.x; i < tile * Here::a_pieces; i += threads) {
        const int at = i / Here::a_pieces, piece = i % Here::a_pieces;
        fetch_piece(tiles + Here::a_offset(at, piece), a, row + at, m,
                    first + Here::elements * piece, k);
    }
#pragma unroll
    for (int i = threadIdx.x; i < Here::depth * Here::b_pieces; i += threads) {
        const int at = i / Here::b_pieces, piece = i % Here::b_pieces;
        fetch_piece(tiles + Here::b_offset(at, piece), b, first + at, k,
                    column + Here::elements * piece, n);
    }
}

constexpr int stages = 4;

// Against the swizzled matmul_mma: tiles of the next three phases are in flight as asynchronous copies (cp.async) while one
// is multiplied, and a phase has one barrier. Any m, n and k.
template <class T, bool vectors>
__global__ void __launch_bounds__(threads, 2)
    matmul_mma_staged(const T* a, const T* b, float* c, int m, int n, int k) {
    using Here = Tiles<T, Layout::swizzled>;
    extern __shared__ __align__(128) char all_tiles[];
    const int row = tile * blockIdx.y, column = tile * blockIdx.x, warp = threadIdx.x / 32;
    const int warp_row = warp_rows * (warp / 4), warp_column = warp_columns * (warp % 4);
    const int phases = (k + Here::depth - 1) / Here::depth;
    float sums[4][4][4] = {};
    for (int phase = 0; phase < stages - 1; ++phase) {
        if (phase < phases) {
            fetch<T, vectors>(all_tiles + phase * Here::bytes, a, b, m, n, k, row, column,
                              phase * Here::depth);
        }
        commit_copies();
    }
    for (int phase = 0; phase < phases; ++phase) {
        await_all_but<stages - 2>();
        __syncthreads();
        const int next = phase + stages - 1;
        if (next < phases) {
            fetch<T, vectors>(all_tiles + next % stages * Here::bytes, a, b, m, n, k, row, column,
                              next * Here::depth);
        }
        commit_copies();
        multiply_tiles<T, Layout::swizzled>(sums, all_tiles + phase % stages * Here::bytes,
                                            warp_row, warp_column);
    }
    store_sums<vectors>(sums, c, m, n, row + warp_row, column + warp_column);
}

}  // namespace tensor
