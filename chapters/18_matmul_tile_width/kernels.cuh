// Kernels of chapter 18: the tiled product with tiles that are no squares.
#pragma once

// Chapter 17's matmul_tiled_bounded with three sizes instead of one. A block of columns x rows threads
// computes as many elements of c, in phases of `depth` steps. Each element of a is used `columns`
// times and each of b `rows` times, whatever the depth: depth is paid in shared memory, 4 depth (rows
// + columns) bytes a block, and buys fewer barriers.
template <int rows, int columns, int depth>
__global__ void matmul_rectangular_tiles(const float* a, const float* b, float* c, int m, int n,
                                         int k) {
    __shared__ float a_tile[rows][depth];
    __shared__ float b_tile[depth][columns];
    const int row = blockIdx.y * rows + threadIdx.y;
    const int column = blockIdx.x * columns + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < k; first += depth) {
        for (int i = threadIdx.x; i < depth; i += columns) {
            a_tile[threadIdx.y][i] = row < m && first + i < k ? a[row * k + first + i] : 0.0f;
        }
        for (int i = threadIdx.y; i < depth; i += rows) {
            b_tile[i][threadIdx.x] =
                first + i < k && column < n ? b[(first + i) * n + column] : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < depth; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}
