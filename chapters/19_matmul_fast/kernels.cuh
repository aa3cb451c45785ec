// Kernels of chapter 19: from chapter 17's tiles of 32 x 32 on, a step each. c = a b: a has m rows of k
// elements, b k rows of n and c m rows of n, stored row by row. What several steps share is in
// parts.cuh; the last steps are in bulk.cu, reuse.cu and balanced.cu.
#pragma once

#include "parts.cuh"

// Against matmul_tiled: a thread computes 8 x 8 elements of c instead of one, so that an element read
// from shared memory serves 8 multiply-adds. Blocks of 16 x 16 threads, tiles of 128 x 128, 8 deep.
// Rows and columns of a thread lie 16 apart: neighbouring lanes read neighbouring banks.
__global__ void matmul_thread_tiles(const float* a, const float* b, float* c, int m, int n, int k) {
    constexpr int tile = 128, depth = 8;
    __shared__ float a_tile[tile][depth];
    __shared__ float b_tile[depth][tile];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    const int row = blockIdx.y * tile;
    const int column = blockIdx.x * tile;
    float sum[8][8] = {};
    for (int first = 0; first < k; first += depth) {
        for (int i = thread; i < tile * depth; i += 256) {
            const int a_row = row + i / depth, a_column = first + i % depth;
            const int b_row = first + i / tile, b_column = column + i % tile;
            a_tile[i / depth][i % depth] =
                a_row < m && a_column < k ? a[a_row * k + a_column] : 0.0f;
            b_tile[i / tile][i % tile] = b_row < k && b_column < n ? b[b_row * n + b_column] : 0.0f;
        }
        __syncthreads();
        for (int step = 0; step < depth; ++step) {
            float a_column[8], b_row[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) a_column[i] = a_tile[threadIdx.y + 16 * i][step];
#pragma unroll
            for (int j = 0; j < 8; ++j) b_row[j] = b_tile[step][threadIdx.x + 16 * j];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) sum[i][j] += a_column[i] * b_row[j];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int c_row = row + threadIdx.y + 16 * i;
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const int c_column = column + threadIdx.x + 16 * j;
            if (c_row < m && c_column < n) c[c_row * n + c_column] = sum[i][j];
        }
    }
}

// Against matmul_thread_tiles: all accesses are of 16 bytes, a quarter as many of them. For that
// the tile of a is transposed before it is stored in shared memory, and a warp's lanes lie 8 x 4 in its part of
// c, where neighbours read the same element of b: its quarter warps then go in twos. The padding keeps
// the transposed stores from conflicting. 256 threads; n and k have to be multiples of 4.
__global__ void matmul_vectorised(const float* a, const float* b, float* c, int m, int n, int k) {
    constexpr int tile = 128, depth = 8, threads = 256;
    alignas(16) __shared__ float a_tile[depth][tile + 4];
    alignas(16) __shared__ float b_tile[depth][tile];
    const int row = blockIdx.y * tile;
    const int column = blockIdx.x * tile;
    const PlaceInTile place = place_in_tile<tile>();
    float4 from_a[1], from_b[1];
    float sum[8][8] = {}, a_column[8], b_row[8];
    for (int first = 0; first < k; first += depth) {
        fetch<true, threads, depth>(from_a, a, k, m, k, row, first);
        fetch<true, threads, tile>(from_b, b, n, k, n, first, column);
        put_transposed<threads>(a_tile, from_a);
        put<threads>(b_tile, from_b);
        __syncthreads();
#pragma unroll
        for (int step = 0; step < depth; ++step) {
            read_8(a_column, &a_tile[step][place.row], 32);
            read_8(b_row, &b_tile[step][place.column], 16);
            multiply_8x8(sum, a_column, b_row);
        }
        __syncthreads();
    }
    store_8x8<true>(sum, c, n, m, n, row + place.row, column + place.column, 1, 0);
}

// c = alpha a b + beta c, any m, n and k; rows of the matrices begin lda, ldb and ldc elements apart.
// Against matmul_vectorised: everything is fetched ahead. While a tile is multiplied, the next one is
// loaded into registers and then stored in the other half of shared memory, and the operands of the next
// step are loaded into registers: no warp waits for what it has just asked for, and a phase has one barrier.
// `vectors`: all matrices and their rows begin at multiples of 16 bytes. 64 elements of c a thread.
template <int tile_rows, int tile_columns, bool vectors>
__global__ void __launch_bounds__(tile_rows* tile_columns / 64,
                                  blocks_an_sm(tile_rows* tile_columns / 64))
    matmul_double_buffered(int m, int n, int k, float alpha, const float* a, int lda,
                           const float* b, int ldb, float beta, float* c, int ldc) {
    constexpr int depth = 16, threads = tile_rows * tile_columns / 64;
    alignas(16) __shared__ float a_tile[2][depth][tile_rows + 4];
    alignas(16) __shared__ float b_tile[2][depth][tile_columns];
    const TileOrigin tile =
        tile_origin<tile_rows, tile_columns>(blockIdx.y * gridDim.x + blockIdx.x, gridDim);
    const PlaceInTile place = place_in_tile<tile_columns>();
    float4 from_a[tile_rows * depth / 4 / threads], from_b[tile_columns * depth / 4 / threads];
    float sum[8][8] = {}, a_column[2][8], b_row[2][8];

    fetch<vectors, threads, depth>(from_a, a, lda, m, k, tile.row, 0);
    fetch<vectors, threads, tile_columns>(from_b, b, ldb, k, n, 0, tile.column);
    put_transposed<threads>(a_tile[0], from_a);
    put<threads>(b_tile[0], from_b);
    __syncthreads();
    read_8(a_column[0], &a_tile[0][0][place.row], 32);
    read_8(b_row[0], &b_tile[0][0][place.column], 16);
    int half = 0;
    for (int first = 0; first < k; first += depth) {
        const bool more = first + depth < k;
        if (more) {
            fetch<vectors, threads, depth>(from_a, a, lda, m, k, tile.row, first + depth);
            fetch<vectors, threads, tile_columns>(from_b, b, ldb, k, n, first + depth, tile.column);
        }
#pragma unroll
        for (int step = 0; step < depth; ++step) {
            if (step == depth - 1 && more) {
                half ^= 1;
                put_transposed<threads>(a_tile[half], from_a);
                put<threads>(b_tile[half], from_b);
                __syncthreads();
            }
            if (step < depth - 1 || more) {
                const int next = (step + 1) % depth;
                read_8(a_column[next % 2], &a_tile[half][next][place.row], 32);
                read_8(b_row[next % 2], &b_tile[half][next][place.column], 16);
            }
            multiply_8x8(sum, a_column[step % 2], b_row[step % 2]);
        }
    }
    store_8x8<vectors>(sum, c, ldc, m, n, tile.row + place.row, tile.column + place.column, alpha,
                       beta);
}

// The ceiling: multiply-adds on registers and nothing else. 8 chains a thread, independent, so that none
// has to wait for the result of the one before it.
__global__ void fma_chains(float* out, int steps, float factor, float addend) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    float chain[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) chain[i] = thread + i;
#pragma unroll 16
    for (int step = 0; step < steps; ++step) {
#pragma unroll
        for (int i = 0; i < 8; ++i) chain[i] = chain[i] * factor + addend;
    }
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += chain[i];
    out[thread] = sum;
}
