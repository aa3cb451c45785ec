// Kernels of chapter 21: the sum of an array, from the book's first reduction to one that reads as fast as memory delivers.
#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstddef>

constexpr unsigned full_warp = 0xffffffff;

// ---- The book's ladder. A block adds up its part of `data` in place, in global memory, and leaves the sum in
// sums[blockIdx.x]. The array consists of whole parts.

// The baseline. In round k every 2^k-th thread adds the sum of its neighbour to its own: ever fewer lanes of
// each warp work, and no warp is free before the last rounds.
__global__ void reduce_neighboured(float* data, float* sums) {
    float* const part = data + std::size_t{blockIdx.x} * blockDim.x;
    const unsigned i = threadIdx.x;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (i % (2 * stride) == 0) part[i] += part[i + stride];
        __syncthreads();
    }
    if (i == 0) sums[blockIdx.x] = part[0];
}

// The same additions by the first threads of the block: whole warps work, the others skip the round. The
// elements that a warp touches lie as far apart as before.
__global__ void reduce_neighboured_first_threads(float* data, float* sums) {
    float* const part = data + std::size_t{blockIdx.x} * blockDim.x;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        const unsigned i = 2 * stride * threadIdx.x;
        if (i < blockDim.x) part[i] += part[i + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// Adds the elements `stride` further on, for strides from `first` down to `last`.
__device__ inline void add_interleaved(float* part, unsigned first, unsigned last) {
    const unsigned i = threadIdx.x;
    for (unsigned stride = first; stride >= last; stride /= 2) {
        if (i < stride) part[i] += part[i + stride];
        __syncthreads();
    }
}

// Strides from half the block down: neighbouring threads add neighbouring elements, so accesses coalesce.
__global__ void reduce_interleaved(float* data, float* sums) {
    float* const part = data + std::size_t{blockIdx.x} * blockDim.x;
    add_interleaved(part, blockDim.x / 2, 1);
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// The sum of `loads` elements, a block's width apart.
template <int loads>
__device__ float sum_of_own(const float* part) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < loads; ++k) sum += part[threadIdx.x + k * blockDim.x];
    return sum;
}

// Each thread first adds up `loads` elements: as many independent loads in flight, and a `loads`-th of the
// blocks, barriers and additions of the tree.
template <int loads>
__global__ void reduce_unrolled(float* data, float* sums) {
    float* const part = data + std::size_t{blockIdx.x} * blockDim.x * loads;
    part[threadIdx.x] = sum_of_own<loads>(part);
    __syncthreads();
    add_interleaved(part, blockDim.x / 2, 1);
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// The last 64 elements, by one warp without barriers of the block. The book relies on lanes in lockstep, which
// Volta and later do not promise: __syncwarp() orders the accesses.
__device__ inline void add_last_warp(float* part) {
    const unsigned i = threadIdx.x;
    if (i >= 32) return;
#pragma unroll
    for (unsigned stride = 32; stride > 0; stride /= 2) {
        const float sum = part[i] + part[i + stride];
        __syncwarp();
        part[i] = sum;
        __syncwarp();
    }
}

// The last six rounds without barriers, branches and idle warps.
template <int loads>
__global__ void reduce_unrolled_last_warp(float* data, float* sums) {
    float* const part = data + std::size_t{blockIdx.x} * blockDim.x * loads;
    part[threadIdx.x] = sum_of_own<loads>(part);
    __syncthreads();
    add_interleaved(part, blockDim.x / 2, 64);
    add_last_warp(part);
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// Every round written out for blocks of up to 1024 threads.
__device__ inline void add_all_rounds(float* part, unsigned block) {
    const unsigned i = threadIdx.x;
    if (block >= 1024 && i < 512) part[i] += part[i + 512];
    __syncthreads();
    if (block >= 512 && i < 256) part[i] += part[i + 256];
    __syncthreads();
    if (block >= 256 && i < 128) part[i] += part[i + 128];
    __syncthreads();
    if (block >= 128 && i < 64) part[i] += part[i + 64];
    __syncthreads();
    add_last_warp(part);
}

// No loop: its counter and its branch are gone.
template <int loads>
__global__ void reduce_unrolled_completely(float* data, float* sums) {
    float* const part = data + std::size_t{blockIdx.x} * blockDim.x * loads;
    part[threadIdx.x] = sum_of_own<loads>(part);
    __syncthreads();
    add_all_rounds(part, blockDim.x);
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// The block's size is known to the compiler: the comparisons with it are gone, too.
template <int loads, unsigned block>
__global__ void reduce_for_block(float* data, float* sums) {
    float* const part = data + std::size_t{blockIdx.x} * block * loads;
    part[threadIdx.x] = sum_of_own<loads>(part);
    __syncthreads();
    add_all_rounds(part, block);
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// ---- The tree leaves global memory. Inputs are only read.

// reduce_unrolled_last_warp's tree in shared memory.
template <int loads>
__global__ void reduce_shared(const float* in, float* sums) {
    __shared__ float part[1024];
    part[threadIdx.x] = sum_of_own<loads>(in + std::size_t{blockIdx.x} * blockDim.x * loads);
    __syncthreads();
    add_interleaved(part, blockDim.x / 2, 64);
    add_last_warp(part);
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

__device__ inline float warp_sum(float value) {
#pragma unroll
    for (unsigned stride = 16; stride > 0; stride /= 2) {
        value += __shfl_down_sync(full_warp, value, stride);
    }
    return value;
}

// Thread 0 has the sum of the block: two rounds of warp sums around one barrier.
__device__ inline float block_sum(float value) {
    __shared__ float of_warps[32];
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x >= 32) return 0;
    return warp_sum(threadIdx.x < blockDim.x / 32 ? of_warps[threadIdx.x] : 0);
}

// Registers of other lanes in the place of shared memory: one barrier instead of one a round.
template <int loads>
__global__ void reduce_shuffle(const float* in, float* sums) {
    const float sum =
        block_sum(sum_of_own<loads>(in + std::size_t{blockIdx.x} * blockDim.x * loads));
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// The same by the library: cooperative_groups::reduce over tiles of a warp.
template <int loads>
__global__ void reduce_cooperative_groups(const float* in, float* sums) {
    namespace cg = cooperative_groups;
    __shared__ float of_warps[32];
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    float sum = sum_of_own<loads>(in + std::size_t{blockIdx.x} * blockDim.x * loads);
    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (warp.thread_rank() == 0) of_warps[warp.meta_group_rank()] = sum;
    __syncthreads();
    if (warp.meta_group_rank() != 0) return;
    sum = warp.thread_rank() < warp.meta_group_size() ? of_warps[warp.thread_rank()] : 0;
    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// ---- The whole sum in one launch: n elements, any number. With atomics it is added to *total.

enum class Per { thread, warp, block };

// One atomic addition a thread, a warp or a block, of eight elements a thread.
template <Per per>
__global__ void sum_atomics(const float* in, std::size_t n, float* total) {
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * 8 + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const std::size_t i = first + k * blockDim.x;
        if (i < n) sum += in[i];
    }
    if (per == Per::warp) sum = warp_sum(sum);
    if (per == Per::block) sum = block_sum(sum);
    const bool adds =
        per == Per::thread || (per == Per::warp && threadIdx.x % 32 == 0) || threadIdx.x == 0;
    if (adds) atomicAdd(total, sum);
}

__device__ inline float sum_of(float4 value) { return (value.x + value.y) + (value.z + value.w); }

// A grid as large as the GPU strides over the array, `loads` 16-byte loads of a thread in flight; the block that
// ends last adds up the sums of all. The ticket returns to 0, so nothing has to be cleared between launches.
// sums: the total, then the sum of each block.
template <int loads>
__global__ void sum_last_block(const float* in, std::size_t n, float* sums, unsigned* ticket) {
    const float4* const quads = reinterpret_cast<const float4*>(in);
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    float sum = i < n % 4 ? in[n - 1 - i] : 0;
    for (; i + (loads - 1) * threads < n / 4; i += loads * threads) {
        float4 value[loads];
#pragma unroll
        for (int k = 0; k < loads; ++k) value[k] = quads[i + k * threads];
#pragma unroll
        for (int k = 0; k < loads; ++k) sum += sum_of(value[k]);
    }
    for (; i < n / 4; i += threads) sum += sum_of(quads[i]);

    sum = block_sum(sum);
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        sums[1 + blockIdx.x] = sum;
        __threadfence();  // the sum is visible before the ticket is drawn
        is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    float total = 0;
    for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
        total += __ldcg(&sums[1 + block]);
    }
    total = block_sum(total);
    if (threadIdx.x == 0) sums[0] = total;
}

// ---- Exchange between the lanes of a warp alone: its sum, over and over, each needing the one before.

// A tree of five rounds in shared memory, with a barrier of the block or of the warp behind each access.
template <bool of_block>
__device__ unsigned warp_sum_shared(unsigned value, unsigned* words) {
    const auto barrier = [] {
        if (of_block) {
            __syncthreads();
        } else {
            __syncwarp();
        }
    };
    const unsigned lane = threadIdx.x % 32;
    words[threadIdx.x] = value;
    barrier();
#pragma unroll
    for (unsigned stride = 16; stride > 0; stride /= 2) {
        if (lane < stride) words[threadIdx.x] += words[threadIdx.x + stride];
        barrier();
    }
    const unsigned sum = words[threadIdx.x - lane];
    barrier();  // all have read it before the next value is stored
    return sum;
}

template <bool of_block>
__global__ void repeat_shared_sums(const unsigned* in, unsigned* out, int rounds) {
    __shared__ unsigned words[1024];
    unsigned value = in[threadIdx.x];
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        value = warp_sum_shared<of_block>(value, words) + threadIdx.x;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// Five shuffles: each lane adds the value of the lane whose number differs in one bit, so all have the sum.
__global__ void repeat_shuffle_sums(const unsigned* in, unsigned* out, int rounds) {
    unsigned value = in[threadIdx.x];
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (unsigned bit = 16; bit > 0; bit /= 2) {
            value += __shfl_xor_sync(full_warp, value, bit);
        }
        value += threadIdx.x;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
