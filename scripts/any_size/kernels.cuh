// Kernels that other people have printed times of and that no chapter has: variants in between the
// chapters' own, with what the source fixes (tile, rows of a block, padding) as parameters.
#pragma once

#include <cstddef>
#include <cstdint>

// Chapter 09's copy_rows and chapter 10's transpose_read_rows, but a block of tile x block_rows threads moves a tile of
// tile x tile. Stores of a warp that transposes lie a row apart.
template <unsigned tile, unsigned block_rows, bool transposes>
__global__ void move_tile(const float* in, float* out, std::size_t columns) {
    const std::size_t x = std::size_t{blockIdx.x} * tile + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * tile + threadIdx.y;
#pragma unroll
    for (unsigned k = 0; k < tile; k += block_rows)
        out[transposes ? x * columns + y + k : (y + k) * columns + x] = in[(y + k) * columns + x];
}

// The same by way of shared memory, in the order in which it came: what the staging itself costs.
template <unsigned tile, unsigned block_rows>
__global__ void copy_staged(const float* in, float* out, std::size_t columns) {
    __shared__ float staged[tile][tile];
    const std::size_t x = std::size_t{blockIdx.x} * tile + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * tile + threadIdx.y;
#pragma unroll
    for (unsigned k = 0; k < tile; k += block_rows)
        staged[threadIdx.y + k][threadIdx.x] = in[(y + k) * columns + x];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < tile; k += block_rows)
        out[(y + k) * columns + x] = staged[threadIdx.y + k][threadIdx.x];
}

// Chapter 14's transpose_tile for any tile: only shared memory is read down a column, which lies in one
// bank, or with a column of padding in as many as the tile is wide. `diagonal`: blocks in chapter
// 12's order.
template <unsigned tile, unsigned block_rows, unsigned padding, bool diagonal = false>
__global__ void transpose_tile_staged(const float* in, float* out, std::size_t columns) {
    __shared__ float staged[tile][tile + padding];
    const unsigned block_y = diagonal ? blockIdx.x : blockIdx.y;
    const unsigned block_x = diagonal ? (blockIdx.x + blockIdx.y) % gridDim.x : blockIdx.x;
    std::size_t x = std::size_t{block_x} * tile + threadIdx.x;
    std::size_t y = std::size_t{block_y} * tile + threadIdx.y;
#pragma unroll
    for (unsigned k = 0; k < tile; k += block_rows)
        staged[threadIdx.y + k][threadIdx.x] = in[(y + k) * columns + x];
    __syncthreads();
    x = std::size_t{block_y} * tile + threadIdx.x;
    y = std::size_t{block_x} * tile + threadIdx.y;
#pragma unroll
    for (unsigned k = 0; k < tile; k += block_rows)
        out[(y + k) * columns + x] = staged[threadIdx.x][threadIdx.y + k];
}

// A tile that is no square: `width` x `height` threads store it along rows, then number themselves
// down its columns, so that neighbours store neighbours again.
template <unsigned width, unsigned height, unsigned padding>
__global__ void transpose_rectangle(const float* in, float* out, std::size_t rows,
                                    std::size_t columns) {
    __shared__ float staged[height][width + padding];
    const std::size_t x = std::size_t{blockIdx.x} * width + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * height + threadIdx.y;
    const unsigned thread = threadIdx.y * width + threadIdx.x;
    const unsigned row = thread / height, column = thread % height;
    if (x < columns && y < rows) staged[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();
    const std::size_t to_x = std::size_t{blockIdx.y} * height + column;
    const std::size_t to_y = std::size_t{blockIdx.x} * width + row;
    if (to_x < rows && to_y < columns) out[to_y * rows + to_x] = staged[column][row];
}

// Chapter 17's matmul_tiled_bounded for unsigned numbers, its tile as wide as the launch says: the loop
// over it is not unrolled, and its addresses are computed.
__global__ void matmul_tile_at_launch(const std::uint32_t* a, const std::uint32_t* b,
                                      std::uint32_t* c, int m, int n, int k) {
    extern __shared__ std::uint32_t tiles[];
    const int tile = blockDim.x;
    std::uint32_t* const a_tile = tiles;
    std::uint32_t* const b_tile = tiles + tile * tile;
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    const int mine = threadIdx.y * tile + threadIdx.x;
    std::uint32_t sum = 0;
    for (int first = 0; first < k; first += tile) {
        const int a_column = first + threadIdx.x, b_row = first + threadIdx.y;
        a_tile[mine] = row < m && a_column < k ? a[row * k + a_column] : 0;
        b_tile[mine] = b_row < k && column < n ? b[b_row * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < tile; ++i)
            sum += a_tile[threadIdx.y * tile + i] * b_tile[i * tile + threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

// Doubles, an element a thread: 16 bytes of traffic for a multiplication.
__global__ void scale_double(const double* in, double* out, std::size_t n, double factor) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * factor;
}

// y = a x + y: two loads, and a store where the second one was.
__global__ void saxpy(const float* x, float* y, std::size_t n, float a) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
