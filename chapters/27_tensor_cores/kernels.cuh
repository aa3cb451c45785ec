// Kernels of chapter 27 that C++ alone can say: the warp matrix functions of the programming guide. c = a b: a has m rows of k
// elements, b k rows of n and c m rows of n, stored row by row; c is FP32. The other steps are in mma_kernels.cuh.
#pragma once

#include <cuda_fp16.h>
#include <mma.h>

namespace tensor {

using nvcuda::wmma::accumulator;
using nvcuda::wmma::fragment;
using nvcuda::wmma::matrix_a;
using nvcuda::wmma::matrix_b;
using nvcuda::wmma::mem_row_major;
using nvcuda::wmma::row_major;

// A warp computes 16 x 16 elements of c, and reads both operands from global memory. Blocks of 4 warps beside each other; m, n
// and k are multiples of 16.
__global__ void matmul_wmma(const half* a, const half* b, float* c, int m, int n, int k) {
    const int row = 16 * blockIdx.y;
    const int column = 16 * (4 * blockIdx.x + threadIdx.x / 32);
    if (row >= m || column >= n) return;
    fragment<accumulator, 16, 16, 16, float> sums;
    nvcuda::wmma::fill_fragment(sums, 0.0f);
    for (int first = 0; first < k; first += 16) {
        fragment<matrix_a, 16, 16, 16, half, row_major> of_a;
        fragment<matrix_b, 16, 16, 16, half, row_major> of_b;
        nvcuda::wmma::load_matrix_sync(of_a, a + row * k + first, k);
        nvcuda::wmma::load_matrix_sync(of_b, b + first * n + column, n);
        nvcuda::wmma::mma_sync(sums, of_a, of_b, sums);
    }
    nvcuda::wmma::store_matrix_sync(c + row * n + column, sums, n, mem_row_major);
}

// Against matmul_wmma: chapter 17's step. A block's 8 warps share tiles of 128 x 32 and 32 x 128 in shared memory, and each
// computes 64 x 32 elements: a loaded element serves 32 or 64 multiply-adds. Rows of the tiles are padded by 16 bytes.
__global__ void matmul_wmma_tiled(const half* a, const half* b, float* c, int m, int n, int k) {
    constexpr int tile = 128, depth = 32, padding = 8, threads = 256;
    alignas(32) __shared__ half a_tile[tile][depth + padding];
    alignas(32) __shared__ half b_tile[depth][tile + padding];
    const int row = tile * blockIdx.y, column = tile * blockIdx.x, warp = threadIdx.x / 32;
    const int warp_row = 64 * (warp / 4), warp_column = 32 * (warp % 4);
    fragment<accumulator, 16, 16, 16, float> sums[4][2];
    for (auto& of_row : sums) {
        for (auto& each : of_row) nvcuda::wmma::fill_fragment(each, 0.0f);
    }
    for (int first = 0; first < k; first += depth) {
        for (int i = threadIdx.x; i < tile * depth / 8; i += threads) {
            const int a_row = i / 4, a_column = i % 4 * 8, b_row = i / 16, b_column = i % 16 * 8;
            const bool has_a = row + a_row < m && first + a_column < k;
            const bool has_b = first + b_row < k && column + b_column < n;
            const uint4 zero = {};
            const half* const from_a = a + (row + a_row) * k + first + a_column;
            const half* const from_b = b + (first + b_row) * n + column + b_column;
            *reinterpret_cast<uint4*>(&a_tile[a_row][a_column]) =
                has_a ? *reinterpret_cast<const uint4*>(from_a) : zero;
            *reinterpret_cast<uint4*>(&b_tile[b_row][b_column]) =
                has_b ? *reinterpret_cast<const uint4*>(from_b) : zero;
        }
        __syncthreads();
        for (int step = 0; step < depth; step += 16) {
            fragment<matrix_a, 16, 16, 16, half, row_major> of_a[4];
            fragment<matrix_b, 16, 16, 16, half, row_major> of_b[2];
            for (int i = 0; i < 4; ++i) {
                nvcuda::wmma::load_matrix_sync(of_a[i], &a_tile[warp_row + 16 * i][step],
                                               depth + padding);
            }
            for (int j = 0; j < 2; ++j) {
                nvcuda::wmma::load_matrix_sync(of_b[j], &b_tile[step][warp_column + 16 * j],
                                               tile + padding);
            }
            for (int i = 0; i < 4; ++i) {
                for (int j = 0; j < 2; ++j)
                    nvcuda::wmma::mma_sync(sums[i][j], of_a[i], of_b[j], sums[i][j]);
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 2; ++j) {
            const int c_row = row + warp_row + 16 * i, c_column = column + warp_column + 16 * j;
            if (c_row >= m || c_column >= n) continue;
            nvcuda::wmma::store_matrix_sync(c + c_row * n + c_column, sums[i][j], n, mem_row_major);
        }
    }
}

}  // namespace tensor
