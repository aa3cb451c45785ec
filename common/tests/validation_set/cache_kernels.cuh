// Kernels of the validation set: what the L1 keeps.
#pragma once

// One block reads `n` floats from first to last, `passes` times.
__global__ void read_cyclically(const float* in, float* out, int n, int passes) {
    float sum = 0;
#pragma unroll 1
    for (int pass = 0; pass < passes; ++pass) {
#pragma unroll 1
        for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// Stores, then loads what the same thread, or after a barrier its neighbour, has stored.
__global__ void store_then_load(float* values, float* out, int distance) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = static_cast<float>(i);
    __syncthreads();
    const int partner = blockIdx.x * blockDim.x + (threadIdx.x + distance) % blockDim.x;
    out[i] = values[partner];
}
