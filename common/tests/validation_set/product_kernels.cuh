// Kernels of the validation set: products of square matrices whose width is a multiple of the tile's.
#pragma once

__global__ void multiply_naive(const float* a, const float* b, float* c, int width) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < width; ++k) sum += a[row * width + k] * b[k * width + column];
    c[row * width + column] = sum;
}

template <int tile>
__global__ void multiply_tiled(const float* a, const float* b, float* c, int width) {
    __shared__ float a_tile[tile][tile];
    __shared__ float b_tile[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < width; first += tile) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * width + first + threadIdx.x];
        b_tile[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * width + column];
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < tile; ++k) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
        __syncthreads();
    }
    c[row * width + column] = sum;
}

// multiply_tiled as nvcc makes it of the loop that it may unroll: four neighbours of the row of a_tile
// are one 16-byte load.
template <int tile>
__global__ void multiply_tiled_merged(const float* a, const float* b, float* c, int width) {
    __shared__ float a_tile[tile][tile];
    __shared__ float b_tile[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < width; first += tile) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * width + first + threadIdx.x];
        b_tile[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * width + column];
        __syncthreads();
        for (int k = 0; k < tile; k += 4) {
            const float4 four = *reinterpret_cast<const float4*>(&a_tile[threadIdx.y][k]);
            sum += four.x * b_tile[k][threadIdx.x];
            sum += four.y * b_tile[k + 1][threadIdx.x];
            sum += four.z * b_tile[k + 2][threadIdx.x];
            sum += four.w * b_tile[k + 3][threadIdx.x];
        }
        __syncthreads();
    }
    c[row * width + column] = sum;
}

// As multiply_tiled, free to be unrolled and merged.
template <int tile>
__global__ void multiply_tiled_unrolled(const float* a, const float* b, float* c, int width) {
    __shared__ float a_tile[tile][tile];
    __shared__ float b_tile[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < width; first += tile) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * width + first + threadIdx.x];
        b_tile[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * width + column];
        __syncthreads();
        for (int k = 0; k < tile; ++k) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
        __syncthreads();
    }
    c[row * width + column] = sum;
}
