// Kernels of chapter 20: the sum of two matrices, in blocks of two dimensions.
#pragma once

#include <cstddef>

// c = a + b for matrices of `rows` x `columns`, row after row in memory. A warp is 32 neighbours of one
// row: it reads 128 bytes of a and of b and writes 128 bytes of c. The kernel does not know where the
// pages behind the three pointers are: what a launch costs beyond that is the pages' doing.
__global__ void add_matrices(const float* a, const float* b, float* c, std::size_t rows,
                             std::size_t columns) {
    const std::size_t column = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t row = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (row >= rows || column >= columns) return;
    const std::size_t k = row * columns + column;
    c[k] = a[k] + b[k];
}
