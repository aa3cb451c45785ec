// Kernels of chapter 23: atomic additions, from many threads that share a counter to histograms.
#pragma once

#include <cstddef>
#include <cstdint>

constexpr unsigned full_warp = 0xffffffff;

// Which threads share a counter: lanes of a warp add to neighbouring counters, or a whole warp adds to one.
enum class Spread { lanes, warps };

template <Spread spread>
__device__ unsigned counter_of(unsigned thread, unsigned addresses) {
    return (spread == Spread::lanes ? thread : thread / 32) & (addresses - 1);
}

// ---- Global memory: every thread adds 1 `rounds` times; `addresses`, a power of two, counters.

// The baseline: the result is not used, so the instruction is a reduction, which returns nothing.
template <class T, Spread spread>
__global__ void add_global(T* counters, unsigned addresses, int rounds) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    T* const counter = &counters[counter_of<spread>(thread, addresses)];
    for (int round = 0; round < rounds; ++round) atomicAdd(counter, T{1});
}

// The old values are used: each addition returns to its thread.
template <Spread spread>
__global__ void add_global_returning(unsigned* counters, unsigned addresses, int rounds,
                                     unsigned* sums) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned* const counter = &counters[counter_of<spread>(thread, addresses)];
    unsigned sum = 0;
    for (int round = 0; round < rounds; ++round) sum += atomicAdd(counter, 1u);
    sums[thread] = sum;
}

// One counter that the compiler knows to be the same for all threads: ptxas may add up a warp first.
__global__ void add_known_counter(unsigned* counter, int rounds) {
    for (int round = 0; round < rounds; ++round) atomicAdd(counter, 1u);
}

// The same by hand: the lowest active lane adds for all active lanes.
__global__ void add_aggregated(unsigned* counter, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        const unsigned active = __activemask();
        if (threadIdx.x % 32 == __ffs(active) - 1) atomicAdd(counter, __popc(active));
    }
}

// By hand for any counters: lanes of one counter find each other, the lowest adds for them.
template <Spread spread>
__global__ void add_matched(unsigned* counters, unsigned addresses, int rounds) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned index = counter_of<spread>(thread, addresses);
    for (int round = 0; round < rounds; ++round) {
        const unsigned same = __match_any_sync(full_warp, index);
        if (threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(&counters[index], __popc(same));
    }
}

// ---- Shared memory: the same additions to counters of the block, up to one a thread; then they are stored.
template <class T>
__global__ void add_shared(T* out, unsigned addresses, int rounds) {
    __shared__ T counters[256];
    counters[threadIdx.x] = 0;
    __syncthreads();
    T* const counter = &counters[threadIdx.x & (addresses - 1)];
    for (int round = 0; round < rounds; ++round) atomicAdd(counter, T{1});
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = counters[threadIdx.x];
}

// ---- Filter: the words whose highest bit is set are appended to `out`, in any order.

__device__ inline bool is_kept(unsigned word) { return word >> 31 != 0; }

// An addition for each word that is kept: it returns the word's place. `mask` is 0, which the compiler does not know:
// to it, threads may use different counters.
__global__ void append_each(const unsigned* in, unsigned n, unsigned* out, unsigned* counters,
                            unsigned mask) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && is_kept(in[i])) out[atomicAdd(&counters[i & mask], 1u)] = in[i];
}

// One counter, and the compiler knows it.
__global__ void append_known_counter(const unsigned* in, unsigned n, unsigned* out,
                                     unsigned* counter) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && is_kept(in[i])) out[atomicAdd(counter, 1u)] = in[i];
}

// By hand: one addition a warp, its place is broadcast, each lane counts the lanes before it.
__global__ void append_aggregated(const unsigned* in, unsigned n, unsigned* out,
                                  unsigned* counter) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i >= n || !is_kept(in[i])) return;
    const unsigned active = __activemask();
    const int leader = __ffs(active) - 1;
    unsigned place = 0;
    if (lane == leader) place = atomicAdd(counter, __popc(active));
    place = __shfl_sync(active, place, leader);
    out[place + __popc(active & ((1u << lane) - 1))] = in[i];
}

// One addition a block: warps add up in shared memory first.
__global__ void append_by_block(const unsigned* in, unsigned n, unsigned* out, unsigned* counter) {
    __shared__ unsigned kept, first;
    if (threadIdx.x == 0) kept = 0;
    __syncthreads();
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool keep = i < n && is_kept(in[i]);
    unsigned place = 0;
    if (keep) place = atomicAdd(&kept, 1u);
    __syncthreads();
    if (threadIdx.x == 0) first = atomicAdd(counter, kept);
    __syncthreads();
    if (keep) out[first + place] = in[i];
}

// ---- Histograms of bytes: 256 bins. All threads stride over the array, 16 bytes a load; `n` is its size in
// loads. What they count is added to `bins`.

constexpr unsigned bin_count = 256;

// Calls `count` with each of the 16 bytes of each load of a thread.
template <class Count>
__device__ void for_each_byte(const uint4* in, std::size_t n, Count count) {
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
        const uint4 load = in[i];
        const unsigned words[] = {load.x, load.y, load.z, load.w};
#pragma unroll
        for (const unsigned word : words) {
#pragma unroll
            for (unsigned byte = 0; byte < 4; ++byte) count(word >> 8 * byte & 0xff);
        }
    }
}

// The baseline: an atomic addition in global memory for each byte.
__global__ void histogram_global(const uint4* in, std::size_t n, unsigned* bins) {
    for_each_byte(in, n, [=](unsigned byte) { atomicAdd(&bins[byte], 1u); });
}

// Each block counts in bins of its own, in shared memory, and adds these to `bins` at the end.
__global__ void histogram_shared(const uint4* in, std::size_t n, unsigned* bins) {
    __shared__ unsigned own[bin_count];
    for (unsigned bin = threadIdx.x; bin < bin_count; bin += blockDim.x) own[bin] = 0;
    __syncthreads();
    for_each_byte(in, n, [](unsigned byte) { atomicAdd(&own[byte], 1u); });
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < bin_count; bin += blockDim.x) {
        atomicAdd(&bins[bin], own[bin]);
    }
}

// `copies` of the bins in each block, a warp uses one of them: fewer warps meet in a bin, lanes as before.
template <unsigned copies>
__global__ void histogram_copies(const uint4* in, std::size_t n, unsigned* bins) {
    __shared__ unsigned own[copies * bin_count];
    for (unsigned i = threadIdx.x; i < copies * bin_count; i += blockDim.x) own[i] = 0;
    __syncthreads();
    unsigned* const copy = &own[threadIdx.x / 32 % copies * bin_count];
    for_each_byte(in, n, [=](unsigned byte) { atomicAdd(&copy[byte], 1u); });
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < bin_count; bin += blockDim.x) {
        unsigned sum = 0;
        for (unsigned i = 0; i < copies; ++i) sum += own[i * bin_count + bin];
        atomicAdd(&bins[bin], sum);
    }
}

// A copy for each lane of a warp, each in a bank of its own: lanes never meet, in a bin or in a bank, whatever the bytes.
__global__ void histogram_lanes(const uint4* in, std::size_t n, unsigned* bins) {
    __shared__ unsigned own[bin_count * 32];
    for (unsigned i = threadIdx.x; i < bin_count * 32; i += blockDim.x) own[i] = 0;
    __syncthreads();
    const unsigned lane = threadIdx.x % 32;
    for_each_byte(in, n, [=](unsigned byte) { atomicAdd(&own[byte * 32 + lane], 1u); });
    __syncthreads();
    // A warp adds up the 32 copies of a bin.
    for (unsigned bin = threadIdx.x / 32; bin < bin_count; bin += blockDim.x / 32) {
        unsigned sum = own[bin * 32 + lane];
#pragma unroll
        for (unsigned stride = 16; stride > 0; stride /= 2) {
            sum += __shfl_down_sync(full_warp, sum, stride);
        }
        if (lane == 0) atomicAdd(&bins[bin], sum);
    }
}
