// Kernels of chapter 11: the naive transposes of chapter 10 with four elements a thread, a block's
// width apart. A block covers 4 x blockDim.x of the x direction.
#pragma once

#include <cstddef>

// Against transpose_read_rows: four times the work a thread, a quarter of the blocks. Each element
// is read and stored in turn: the compiler must not move a load before a store that may change
// what it reads, so a thread has only one load in flight at any time.
__global__ void transpose_read_rows_unroll4(const float* in, float* out, std::size_t rows,
                                            std::size_t columns) {
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x * 4 + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (y >= rows) return;
    if (x + 3 * blockDim.x < columns) {
        out[x * rows + y] = in[y * columns + x];
        out[(x + blockDim.x) * rows + y] = in[y * columns + x + blockDim.x];
        out[(x + 2 * blockDim.x) * rows + y] = in[y * columns + x + 2 * blockDim.x];
        out[(x + 3 * blockDim.x) * rows + y] = in[y * columns + x + 3 * blockDim.x];
    } else {  // the tail, which the book's kernel leaves out or writes past the end
        for (std::size_t k = x; k < columns; k += blockDim.x)
            out[k * rows + y] = in[y * columns + k];
    }
}

// The same change to transpose_read_columns.
__global__ void transpose_read_columns_unroll4(const float* in, float* out, std::size_t rows,
                                               std::size_t columns) {
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x * 4 + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (y >= columns) return;
    if (x + 3 * blockDim.x < rows) {
        out[y * rows + x] = in[x * columns + y];
        out[y * rows + x + blockDim.x] = in[(x + blockDim.x) * columns + y];
        out[y * rows + x + 2 * blockDim.x] = in[(x + 2 * blockDim.x) * columns + y];
        out[y * rows + x + 3 * blockDim.x] = in[(x + 3 * blockDim.x) * columns + y];
    } else {
        for (std::size_t k = x; k < rows; k += blockDim.x) out[y * rows + k] = in[k * columns + y];
    }
}

// Against transpose_read_rows_unroll4: all four loads stand before the first store. The requests
// are the same; now a thread can have four loads in flight: what unrolling is for.
__global__ void transpose_read_rows_unroll4_loads_first(const float* in, float* out,
                                                        std::size_t rows, std::size_t columns) {
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x * 4 + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (y >= rows) return;
    if (x + 3 * blockDim.x < columns) {
        const float a = in[y * columns + x];
        const float b = in[y * columns + x + blockDim.x];
        const float c = in[y * columns + x + 2 * blockDim.x];
        const float d = in[y * columns + x + 3 * blockDim.x];
        out[x * rows + y] = a;
        out[(x + blockDim.x) * rows + y] = b;
        out[(x + 2 * blockDim.x) * rows + y] = c;
        out[(x + 3 * blockDim.x) * rows + y] = d;
    } else {
        for (std::size_t k = x; k < columns; k += blockDim.x)
            out[k * rows + y] = in[y * columns + k];
    }
}

// The same change to transpose_read_columns_unroll4.
__global__ void transpose_read_columns_unroll4_loads_first(const float* in, float* out,
                                                           std::size_t rows, std::size_t columns) {
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x * 4 + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (y >= columns) return;
    if (x + 3 * blockDim.x < rows) {
        const float a = in[x * columns + y];
        const float b = in[(x + blockDim.x) * columns + y];
        const float c = in[(x + 2 * blockDim.x) * columns + y];
        const float d = in[(x + 3 * blockDim.x) * columns + y];
        out[y * rows + x] = a;
        out[y * rows + x + blockDim.x] = b;
        out[y * rows + x + 2 * blockDim.x] = c;
        out[y * rows + x + 3 * blockDim.x] = d;
    } else {
        for (std::size_t k = x; k < rows; k += blockDim.x) out[y * rows + k] = in[k * columns + y];
    }
}
