// Kernels of chapter 24: many warps with one thing to wait for each, or few warps with several.
#pragma once

#include <cstddef>

// ---- Bandwidth. A copy by as many warps as the launch has: each thread loads `loads` words of 16 bytes before it stores
// the first, and goes on by the width of the grid. Bytes in flight of an SM: warps x 512 x loads.
template <int loads>
__global__ void copy_in_flight(const float4* in, float4* out, std::size_t words) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x * loads;
    std::size_t first = std::size_t{blockIdx.x} * blockDim.x * loads + threadIdx.x;
    for (; first < words; first += stride) {
        float4 word[loads];
#pragma unroll
        for (int j = 0; j < loads; ++j) {
            const std::size_t i = first + std::size_t{blockDim.x} * j;
            if (i < words) word[j] = in[i];
        }
#pragma unroll
        for (int j = 0; j < loads; ++j) {
            const std::size_t i = first + std::size_t{blockDim.x} * j;
            if (i < words) out[i] = word[j];
        }
    }
}

// ---- Arithmetic. `chains` multiply-adds of a thread that do not wait for each other, each waiting for its own last
// result. What an SM can have in flight is warps x chains. Also the work of a block whose grid has a tail: with one chain
// and few warps an SM has units to spare, and a block alone takes as long as among others.
template <int chains>
__global__ void multiply_add(const float* in, float* out, unsigned steps) {
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const float factor = in[0], summand = in[1];
    float value[chains];
#pragma unroll
    for (int i = 0; i < chains; ++i) value[i] = static_cast<float>(thread % 32 + i);
#pragma unroll 4
    for (unsigned step = 0; step < steps; ++step) {
#pragma unroll
        for (int i = 0; i < chains; ++i) value[i] = value[i] * factor + summand;
    }
    float sum = 0;
#pragma unroll
    for (int i = 0; i < chains; ++i) sum += value[i];
    out[thread] = sum;
}

// ---- Registers. Each thread holds `held` values at once: all of them are loaded before the first round, and each round
// replaces every value by a multiple of itself plus its neighbour.
template <int held>
__device__ inline void mix(const float* in, float* out, unsigned rounds) {
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    float value[held];
#pragma unroll
    for (int i = 0; i < held; ++i) value[i] = in[threads * i + thread];
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < held; ++i) value[i] = 0.5f * value[i] + value[(i + 1) % held];
    }
#pragma unroll
    for (int i = 0; i < held; ++i) out[threads * i + thread] = value[i];
}

// The baseline: as many registers as the compiler likes.
template <int held>
__global__ void mix_unbounded(const float* in, float* out, unsigned rounds) {
    mix<held>(in, out, rounds);
}

// The same for blocks of `threads` threads; `blocks` blocks shall reside on an SM: the compiler must not use more
// registers than that leaves. Values without a register go to local memory: they spill.
template <int held, int threads, int blocks>
__global__ void __launch_bounds__(threads, blocks)
    mix_bounded(const float* in, float* out, unsigned rounds) {
    mix<held>(in, out, rounds);
}
