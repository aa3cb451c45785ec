// Kernels of chapter 12: the naive transposes of chapter 10, their blocks taken in diagonal order.
#pragma once

#include <cstddef>

// The book's mapping: every block gets a place of its own only where the grid is square.
struct DiagonalOfSquare {
    __device__ static dim3 place() {
        return dim3((blockIdx.x + blockIdx.y) % gridDim.x, blockIdx.x);
    }
};

// The block's number in the whole grid counts down the block rows first, and each further round of them
// begins one block column later. Every block of a grid of any shape has a place of its own; in a square
// grid it is the place above.
struct Diagonal {
    __device__ static dim3 place() {
        const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
        const unsigned y = block % gridDim.y;
        return dim3((block / gridDim.y + y) % gridDim.x, y);
    }
};

// Against transpose_read_rows: blocks that follow one another lie on a diagonal of the grid and not
// side by side, so that blocks which run at the same time neither read nor store in one column of
// blocks. Where memory is cut into a few partitions, they then queue less for one of them.
template <class Order>
__global__ void transpose_read_rows_diagonal(const float* in, float* out, std::size_t rows,
                                             std::size_t columns) {
    const dim3 block = Order::place();
    const std::size_t x = std::size_t{block.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{block.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) out[x * rows + y] = in[y * columns + x];
}

// The same change to transpose_read_columns.
template <class Order>
__global__ void transpose_read_columns_diagonal(const float* in, float* out, std::size_t rows,
                                                std::size_t columns) {
    const dim3 block = Order::place();
    const std::size_t x = std::size_t{block.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{block.y} * blockDim.y + threadIdx.y;
    if (x < rows && y < columns) out[y * rows + x] = in[x * columns + y];
}

// Diagonal and unrolled at once, against transpose_read_rows_diagonal: each thread has four elements, a
// block's width apart, so a block covers 4 x blockDim.x of the x direction. Its grid has a quarter of
// the columns: the order is that for any shape.
__global__ void transpose_read_rows_diagonal_unroll4(const float* in, float* out, std::size_t rows,
                                                     std::size_t columns) {
    const dim3 block = Diagonal::place();
    const std::size_t first = std::size_t{block.x} * blockDim.x * 4 + threadIdx.x;
    const std::size_t y = std::size_t{block.y} * blockDim.y + threadIdx.y;
    if (y >= rows) return;
    for (std::size_t x = first; x < first + 4 * blockDim.x && x < columns; x += blockDim.x) {
        out[x * rows + y] = in[y * columns + x];
    }
}

// The same change to transpose_read_columns_diagonal.
__global__ void transpose_read_columns_diagonal_unroll4(const float* in, float* out,
                                                        std::size_t rows, std::size_t columns) {
    const dim3 block = Diagonal::place();
    const std::size_t first = std::size_t{block.x} * blockDim.x * 4 + threadIdx.x;
    const std::size_t y = std::size_t{block.y} * blockDim.y + threadIdx.y;
    if (y >= columns) return;
    for (std::size_t x = first; x < first + 4 * blockDim.x && x < rows; x += blockDim.x) {
        out[y * rows + x] = in[x * columns + y];
    }
}

// A block's notes of its run: the clock that all SMs share, as its first thread began and ended, and its SM.
struct BlockRun {
    unsigned long long begin_ns, end_ns;
    unsigned sm;
};

__device__ inline unsigned long long now_ns() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}

// transpose_read_rows whose blocks note when and where they run, at their number in the grid, row by row.
__global__ void transpose_read_rows_noted(const float* in, float* out, std::size_t rows,
                                          std::size_t columns, BlockRun* runs) {
    const unsigned long long begin = now_ns();
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) out[x * rows + y] = in[y * columns + x];
    __syncthreads();
    if (threadIdx.x != 0 || threadIdx.y != 0) return;
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    runs[blockIdx.x + gridDim.x * blockIdx.y] = {begin, now_ns(), sm};
}
