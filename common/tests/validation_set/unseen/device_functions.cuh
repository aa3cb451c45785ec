// Small functions that several files use, on the device and in their references.
#pragma once

#include <cstdint>

namespace ordinary {

__host__ __device__ constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

// The output function of PCG after one step: a hash of 32 bits.
__host__ __device__ inline std::uint32_t pcg_hash(std::uint32_t v) {
    v = v * 747796405u + 2891336453u;
    v = ((v >> ((v >> 28) + 4)) ^ v) * 277803737u;
    return (v >> 22) ^ v;
}

// In [0, 1), of 24 bits, so that host and device agree.
__host__ __device__ inline float uniform_of(std::uint32_t hash) {
    return static_cast<float>(hash >> 8) * (1.0f / 16777216.0f);
}

// The first lane holds the sum.
template <class T>
__device__ T warp_sum(T v) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

// Every lane holds the sum.
template <class T>
__device__ T warp_sum_all(T v) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

__device__ inline float warp_max_all(float v) {
    for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    return v;
}

}  // namespace ordinary
