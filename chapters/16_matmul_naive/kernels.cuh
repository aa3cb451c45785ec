// Kernels of chapter 16: matrix products with one thread an element, nothing reused by hand.
// c = a b: a has m rows of k elements, b k rows of n and c m rows of n, all stored row by row.
#pragma once

// The baseline. For each multiplication and addition a thread loads two elements from global memory:
// one operation a load. Neighbouring threads lie along a row of c, so that a warp reads one element
// of a (a broadcast) and neighbours of b.
__global__ void matmul_naive(const float* a, const float* b, float* c, int m, int n, int k) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) return;
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

// The same work with rows and columns exchanged between threadIdx.x and .y: neighbouring threads lie
// along a column of c. Each of them needs a sector of its own for its element of a, and for its
// store, where the baseline shares.
__global__ void matmul_naive_down_columns(const float* a, const float* b, float* c, int m, int n,
                                          int k) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

// The baseline in loops over the grid: each thread computes elements a whole grid apart, until
// the matrix ends. A grid of any size is right for a product of any size, also of one with more rows
// than a grid has threads in y.
__global__ void matmul_grid_stride(const float* a, const float* b, float* c, int m, int n, int k) {
    for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < m; row += gridDim.y * blockDim.y) {
        for (int column = blockIdx.x * blockDim.x + threadIdx.x; column < n;
             column += gridDim.x * blockDim.x) {
            float sum = 0;
            for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
            c[row * n + column] = sum;
        }
    }
}

// The baseline's arithmetic without its loads: as many multiply-adds on registers, in a chain that
// other warps hide. What it reaches is the peak that a product is measured against.
__global__ void multiply_add_in_registers(float* c, int m, int n, int k, float factor) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) return;
    const float addend = row * n + column;
    float sum = 0;
#pragma unroll 32
    for (int i = 0; i < k; ++i) sum = sum * factor + addend;
    c[row * n + column] = sum;
}
