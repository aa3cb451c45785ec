// Kernels of chapter 09: copies that bound what a transpose can reach, and one transpose that does
// not respect the bound. Matrices are stored row after row; x is the faster index of a thread.
#pragma once

#include <cstddef>

// Reads and stores along rows: neighbouring lanes, neighbouring addresses, on both sides. The
// source's upper bound.
__global__ void copy_rows(const float* in, float* out, std::size_t rows, std::size_t columns) {
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) out[y * columns + x] = in[y * columns + x];
}

// Against copy_rows: x selects the row and y the place in it, so neighbouring lanes are a whole row
// apart and a warp touches as many rows as the block is wide, on both sides. The book's lower
// bound. (Rows are `rows` long here: as in the source, it is the transposed shape that is walked.)
__global__ void copy_columns(const float* in, float* out, std::size_t rows, std::size_t columns) {
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) out[x * rows + y] = in[x * rows + y];
}

// Against copy_rows: each thread moves four times 16 bytes, and all four loads are in flight
// before the first store. The same bytes, in a quarter of the requests and with more of them in
// flight: the bound to measure a transpose against. `n` elements, in any number.
__global__ void copy_wide(const float* in, float* out, std::size_t n) {
    const std::size_t vectors = n / 4;
    const float4* in4 = reinterpret_cast<const float4*>(in);
    float4* out4 = reinterpret_cast<float4*>(out);
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x * 4 + threadIdx.x;
    if (i + 3 * blockDim.x < vectors) {
        const float4 a = in4[i];
        const float4 b = in4[i + blockDim.x];
        const float4 c = in4[i + 2 * blockDim.x];
        const float4 d = in4[i + 3 * blockDim.x];
        out4[i] = a;
        out4[i + blockDim.x] = b;
        out4[i + 2 * blockDim.x] = c;
        out4[i + 3 * blockDim.x] = d;
    } else {
        for (std::size_t k = i; k < vectors; k += blockDim.x) out4[k] = in4[k];
    }
    // Fewer than four elements are left behind the last vector.
    if (i < n % 4) out[4 * vectors + i] = in[4 * vectors + i];
}

// A transpose, against copy_rows: a block turns a tile of 32 x 32 in shared memory, so that it
// reads rows and stores rows. The tile has 33 columns: a column of it then lies in 32 different
// banks. 32 x 8 threads: each moves four elements, and its loads do not wait for its stores.
__global__ void transpose_tile_padded(const float* in, float* out, std::size_t rows,
                                      std::size_t columns) {
    __shared__ float tile[32][33];
    const std::size_t x = std::size_t{blockIdx.x} * 32 + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * 32 + threadIdx.y;
    for (unsigned k = 0; k < 32; k += 8) {
        if (x < columns && y + k < rows) {
            tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * columns + x];
        }
    }
    __syncthreads();
    const std::size_t to_x = std::size_t{blockIdx.y} * 32 + threadIdx.x;
    const std::size_t to_y = std::size_t{blockIdx.x} * 32 + threadIdx.y;
    for (unsigned k = 0; k < 32; k += 8) {
        if (to_x < rows && to_y + k < columns) {
            out[(to_y + k) * rows + to_x] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}
