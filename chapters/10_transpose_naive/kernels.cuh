// Kernels of chapter 10: the two naive transposes, out[column][row] = in[row][column]. `in` has
// `rows` x `columns` elements, row after row.
#pragma once

#include <cstddef>

// Reads along rows, stores down columns: x is the column of `in`. The loads of a warp are
// neighbours, its stores lie `rows` elements apart, and the L1 collects none of them.
__global__ void transpose_read_rows(const float* in, float* out, std::size_t rows,
                                    std::size_t columns) {
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) out[x * rows + y] = in[y * columns + x];
}

// The other way round: x is the row of `in`, so the stores are neighbours and the loads lie
// `columns` elements apart. What such a load fetches beyond the 4 bytes that it wants, the L1 can
// keep for the other warps of the block.
__global__ void transpose_read_columns(const float* in, float* out, std::size_t rows,
                                       std::size_t columns) {
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < rows && y < columns) out[y * rows + x] = in[x * columns + y];
}
