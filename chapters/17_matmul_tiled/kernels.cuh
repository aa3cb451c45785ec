// Kernels of chapter 17: matrix products through tiles in shared memory. Blocks of tile x tile
// threads, one element of c each. c = a b: a has m rows of k elements, b k rows of n, c m rows of n.
#pragma once

// Chapter 16's matmul_naive with its loop strip-mined: phases of `tile` steps between barriers. All
// loads are as before; nothing is gained but that the threads of a block stay together.
template <int tile>
__global__ void matmul_strip_mined(const float* a, const float* b, float* c, int n, int k) {
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < k; first += tile) {
        for (int i = first; i < first + tile; ++i) sum += a[row * k + i] * b[i * n + column];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// The phases read shared memory: each thread loads one element of a tile of a and one of a tile of b,
// and the block uses each of them `tile` times. Global loads fall to 1/tile.
// m, n and k have to be multiples of `tile`: there are no bounds.
template <int tile>
__global__ void matmul_tiled(const float* a, const float* b, float* c, int n, int k) {
    __shared__ float a_tile[tile][tile];
    __shared__ float b_tile[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < k; first += tile) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * k + first + threadIdx.x];
        b_tile[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
        __syncthreads();  // the tiles are complete
        for (int i = 0; i < tile; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        __syncthreads();  // and no thread needs them any more
    }
    c[row * n + column] = sum;
}

// The same for any m, n and k, and for any type: what lies outside a matrix is a zero in its tile,
// which adds nothing. Threads outside c help to load and reach every barrier; they store nothing.
template <class T, int tile>
__global__ void matmul_tiled_bounded(const T* a, const T* b, T* c, int m, int n, int k) {
    __shared__ T a_tile[tile][tile];
    __shared__ T b_tile[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    T sum = 0;
    for (int first = 0; first < k; first += tile) {
        const int a_column = first + threadIdx.x;
        const int b_row = first + threadIdx.y;
        a_tile[threadIdx.y][threadIdx.x] = row < m && a_column < k ? a[row * k + a_column] : T(0);
        b_tile[threadIdx.y][threadIdx.x] = b_row < k && column < n ? b[b_row * n + column] : T(0);
        __syncthreads();
        for (int i = 0; i < tile; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

// matmul_tiled with its indices in steps: where a thread's elements begin and how far they lie apart
// is computed once, and each phase adds. The rectangular product of NVIDIA's samples: m follows from
// the grid, and all of m, n and k have to be multiples of `tile`.
template <int tile>
__global__ void matmul_tiled_in_steps(const float* a, const float* b, float* c, int n, int k) {
    __shared__ float a_tile[tile][tile];
    __shared__ float b_tile[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    int a_at = row * k + threadIdx.x;
    int b_at = threadIdx.y * n + column;
    float sum = 0;
    for (const int a_end = a_at + k; a_at < a_end; a_at += tile, b_at += tile * n) {
        a_tile[threadIdx.y][threadIdx.x] = a[a_at];
        b_tile[threadIdx.y][threadIdx.x] = b[b_at];
        __syncthreads();
        for (int i = 0; i < tile; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// One addition for each 4-byte load and nothing used twice: the (bandwidth / 4) operations a second of
// a product that would go to memory for every operand. Each thread adds elements a grid apart.
__global__ void add_operands(const float* a, const float* b, float* c, int a_size, int b_size) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;
    float sum = 0;
    for (int i = thread; i < a_size; i += threads) sum += a[i];
    for (int i = thread; i < b_size; i += threads) sum += b[i];
    c[thread] = sum;
}
