// Parts of the kernels of chapter 19, from matmul_vectorised on: each of these is an inner loop's
// or a tile's piece of work.
#pragma once

#include <cstddef>

// How many blocks of 8 x 8 elements a thread shall fit an SM's 65,536 registers: two large ones hide each
// other's barriers; small ones come with 170 registers a thread.
constexpr int blocks_an_sm(int threads) { return threads >= 256 ? 512 / threads : 384 / threads; }

// Four neighbours in a row of a matrix of `rows` by `columns` whose rows begin `stride` elements apart;
// zeros for what lies outside. `vectors`: in one access of 16 bytes, where all four lie inside.
template <bool vectors>
__device__ __forceinline__ float4 load_4(const float* matrix, int stride, int rows, int columns,
                                         int row, int column) {
    float4 values = {0, 0, 0, 0};
    if (row >= rows) return values;
    const float* const first = matrix + std::size_t(row) * stride + column;
    if (vectors && column + 4 <= columns) return *reinterpret_cast<const float4*>(first);
    if (column < columns) values.x = first[0];
    if (column + 1 < columns) values.y = first[1];
    if (column + 2 < columns) values.z = first[2];
    if (column + 3 < columns) values.w = first[3];
    return values;
}

// c = alpha sum + beta c for four neighbours. With beta = 0, c is not read: it may hold anything.
template <bool vectors>
__device__ __forceinline__ void store_4(float* c, int stride, int m, int n, int row, int column,
                                        float alpha, const float* sum, float beta) {
    if (row >= m) return;
    float* const first = c + std::size_t(row) * stride + column;
    if (vectors && column + 4 <= n) {
        float4 values = {alpha * sum[0], alpha * sum[1], alpha * sum[2], alpha * sum[3]};
        if (beta != 0) {
            const float4 before = *reinterpret_cast<const float4*>(first);
            values.x += beta * before.x;
            values.y += beta * before.y;
            values.z += beta * before.z;
            values.w += beta * before.w;
        }
        *reinterpret_cast<float4*>(first) = values;
        return;
    }
    for (int j = 0; j < 4 && column + j < n; ++j) {
        first[j] = beta != 0 ? alpha * sum[j] + beta * first[j] : alpha * sum[j];
    }
}

// A block's share of a tile `width` elements wide, 4 elements a load, held in registers.
template <bool vectors, int threads, int width, int count>
__device__ __forceinline__ void fetch(float4 (&values)[count], const float* matrix, int stride,
                                      int rows, int columns, int first_row, int first_column) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const int at = 4 * (threadIdx.x + i * threads);
        values[i] = load_4<vectors>(matrix, stride, rows, columns, first_row + at / width,
                                    first_column + at % width);
    }
}

template <int threads, int depth, int width, int count>
__device__ __forceinline__ void put(float (&tile)[depth][width], const float4 (&values)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const int at = 4 * (threadIdx.x + i * threads);
        *reinterpret_cast<float4*>(&tile[at / width][at % width]) = values[i];
    }
}

// The same, transposed: what lay along a row of a lies down a column of the tile.
template <int threads, int depth, int pitch, int count>
__device__ __forceinline__ void put_transposed(float (&tile)[depth][pitch],
                                               const float4 (&values)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const int at = 4 * (threadIdx.x + i * threads);
        tile[at % depth][at / depth] = values[i].x;
        tile[at % depth + 1][at / depth] = values[i].y;
        tile[at % depth + 2][at / depth] = values[i].z;
        tile[at % depth + 3][at / depth] = values[i].w;
    }
}

// 8 elements for a thread, in two accesses of 16 bytes that lie `apart` elements apart.
__device__ __forceinline__ void read_8(float (&values)[8], const float* first, int apart) {
    *reinterpret_cast<float4*>(&values[0]) = *reinterpret_cast<const float4*>(first);
    *reinterpret_cast<float4*>(&values[4]) = *reinterpret_cast<const float4*>(first + apart);
}

__device__ __forceinline__ void multiply_8x8(float (&sum)[8][8], const float (&a_column)[8],
                                             const float (&b_row)[8]) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] += a_column[i] * b_row[j];
    }
}

// Where a thread's 8 x 8 elements lie in a tile. A warp covers 64 rows and 32 columns, its lanes 8 x 4
// in them: the 32 lanes need 8 different float4 of a, 128 bytes, and 4 of b. Rows: 4 from `row` and 4
// from `row` + 32; columns: 4 from `column` and 4 from `column` + 16.
struct PlaceInTile {
    int row, column;
};
template <int tile_columns>
__device__ __forceinline__ PlaceInTile place_in_tile() {
    constexpr int warps_across = tile_columns / 32;
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    return {warp / warps_across * 64 + lane % 8 * 4, warp % warps_across * 32 + lane / 8 * 4};
}

template <bool vectors>
__device__ __forceinline__ void store_8x8(const float (&sum)[8][8], float* c, int stride, int m,
                                          int n, int row, int column, float alpha, float beta) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int c_row = row + i % 4 + i / 4 * 32;
        store_4<vectors>(c, stride, m, n, c_row, column, alpha, &sum[i][0], beta);
        store_4<vectors>(c, stride, m, n, c_row, column + 16, alpha, &sum[i][4], beta);
    }
}

// The first row and column of a block's tile. Blocks that run at the same time cover a band of 8 rows of
// tiles, not a single one: together they read fewer different parts of a and b.
struct TileOrigin {
    int row, column;
};
template <int tile_rows, int tile_columns>
__device__ __forceinline__ TileOrigin tile_origin(int number, dim3 tiles) {
    const int across = tiles.x;
    const int band = number / (8 * across);
    const int in_band = number % (8 * across);
    const int rows = min(8, int(tiles.y) - 8 * band);
    return {(8 * band + in_band % rows) * tile_rows, in_band / rows * tile_columns};
}
