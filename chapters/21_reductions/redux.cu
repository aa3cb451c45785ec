#include "redux.hpp"

#include <cstddef>

namespace {

constexpr unsigned full_warp = 0xffffffff;

struct ByShuffle {
    static __device__ unsigned warp_sum(unsigned value) {
#pragma unroll
        for (unsigned stride = 16; stride > 0; stride /= 2) {
            value += __shfl_down_sync(full_warp, value, stride);
        }
        return value;
    }
};

// One instruction for the whole warp, of integers alone.
struct ByRedux {
    static __device__ unsigned warp_sum(unsigned value) {
        return __reduce_add_sync(full_warp, value);
    }
};

template <class By>
__global__ void reduce_integers(const unsigned* in, unsigned* sums) {
    __shared__ unsigned of_warps[32];
    const unsigned* const part = in + std::size_t{blockIdx.x} * blockDim.x * 8;
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += part[threadIdx.x + k * blockDim.x];
    sum = By::warp_sum(sum);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    sum = By::warp_sum(threadIdx.x < blockDim.x / 32 ? of_warps[threadIdx.x] : 0);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void repeat(const unsigned* in, unsigned* out, int rounds) {
    unsigned value = in[threadIdx.x];
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        value = __reduce_add_sync(full_warp, value) + threadIdx.x;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

}  // namespace

void (*repeat_redux_sums())(const unsigned* in, unsigned* out, int rounds) { return repeat; }
ReduceIntegers reduce_integers_shuffle() { return reduce_integers<ByShuffle>; }
ReduceIntegers reduce_integers_redux() { return reduce_integers<ByRedux>; }
