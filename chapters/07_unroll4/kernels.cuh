// Kernels of chapter 07: from unrolling to the limit of vector addition.
#pragma once

#include <cstddef>

// c[i] = a[i + offset] + b[i + offset], as in chapter 02, but `unroll` elements a thread, a block's
// width apart: more independent accesses in flight, so the source, and no more transactions. As the
// source writes it, a load stands behind the store of the element before: without __restrict__ the
// compiler must not move it ahead, for the store might write what it loads. The last elements of any
// n are added, too; the source drops them.
template <int unroll>
__global__ void read_offset_unrolled(const float* a, const float* b, float* c, std::size_t n,
                                     std::size_t offset) {
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * unroll + threadIdx.x;
#pragma unroll
    for (int j = 0; j < unroll; ++j) {
        const std::size_t i = first + std::size_t{blockDim.x} * j;
        const std::size_t k = i + offset;
        if (k < n) c[i] = a[k] + b[k];
    }
}

// read_offset_unrolled<4> in the book's own arithmetic: indices of 32 bits and one guard for all four
// elements. Where the guard fails, all elements of a thread are left out: the
// tail of a ragged n.
__global__ void read_offset_unrolled_int(const float* a, const float* b, float* c, int n,
                                         int offset) {
    const int width = blockDim.x;
    const int i = blockIdx.x * width * 4 + threadIdx.x;
    const int k = i + offset;
    if (k + 3 * width >= n) return;
    c[i] = a[k] + b[k];
    c[i + width] = a[k + width] + b[k + width];
    c[i + 2 * width] = a[k + 2 * width] + b[k + 2 * width];
    c[i + 3 * width] = a[k + 3 * width] + b[k + 3 * width];
}

// read_offset_unrolled with every load before the first store: now they really are in flight together.
template <int unroll>
__global__ void read_offset_loads_first(const float* a, const float* b, float* c, std::size_t n,
                                        std::size_t offset) {
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * unroll + threadIdx.x;
    float sums[unroll];
#pragma unroll
    for (int j = 0; j < unroll; ++j) {
        const std::size_t k = first + std::size_t{blockDim.x} * j + offset;
        if (k < n) sums[j] = a[k] + b[k];
    }
#pragma unroll
    for (int j = 0; j < unroll; ++j) {
        const std::size_t i = first + std::size_t{blockDim.x} * j;
        if (i + offset < n) c[i] = sums[j];
    }
}

__device__ inline float4 operator+(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

struct Plain {
    __device__ static void begin() {}
    __device__ static float4 load(const float4* from) { return *from; }
    __device__ static void store(float4* to, float4 value) { *to = value; }
};

// Tells the caches that each byte is used once: they may give it up first.
struct Streaming {
    __device__ static void begin() {}
    __device__ static float4 load(const float4* from) { return __ldcs(from); }
    __device__ static void store(float4* to, float4 value) { __stcs(to, value); }
};

// The warps of a block begin one after another: its requests come as a stream, not all at once. The
// nanoseconds (620 for the last of 32 warps) are few enough for it to begin before the first one's data are
// there under full load: 8.65 MB in flight at 2.9 TB/s of reads are 3 us by Little's law.
struct Paced : Plain {
    __device__ static void begin() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700  // has the instruction
        __nanosleep(threadIdx.x / 32 * 20);
#endif
    }
};

// Four neighbouring elements a thread, 16 bytes an access: a quarter of the instructions, and four
// times the bytes in flight for each. The addresses have to be multiples of 16 bytes: `offset` is a
// multiple of 4.
template <class Access>
__global__ void read_offset_wide(const float* a, const float* b, float* c, std::size_t n,
                                 std::size_t offset) {
    Access::begin();
    const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
    const std::size_t k = i + offset;
    if (k + 4 <= n) {
        const float4 from_a = Access::load(reinterpret_cast<const float4*>(a + k));
        const float4 from_b = Access::load(reinterpret_cast<const float4*>(b + k));
        Access::store(reinterpret_cast<float4*>(c + i), from_a + from_b);
    } else {
        for (std::size_t tail = k; tail < n; ++tail) c[tail - offset] = a[tail] + b[tail];
    }
}

// The four floats that begin `shift` floats into the eight of `low` and `high`.
template <int shift>
__device__ inline float4 shifted(float4 low, float4 high) {
    static_assert(0 < shift && shift < 4);
    if constexpr (shift == 1) return make_float4(low.y, low.z, low.w, high.x);
    if constexpr (shift == 2) return make_float4(low.z, low.w, high.x, high.y);
    return make_float4(low.w, high.x, high.y, high.z);
}

// Wide accesses at the other offsets, `shift` = offset mod 4: a thread's four elements lie in two
// aligned 16-byte words. It loads both. Its neighbour loads the second one, too, but the L1 has it.
template <int shift, class Access = Plain>
__global__ void read_offset_overlapping(const float* a, const float* b, float* c, std::size_t n,
                                        std::size_t offset) {
    const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
    const std::size_t k = i + offset;
    const std::size_t aligned = k - shift;
    if (aligned + 8 <= n) {
        const float4* const from_a = reinterpret_cast<const float4*>(a + aligned);
        const float4* const from_b = reinterpret_cast<const float4*>(b + aligned);
        const float4 of_a = shifted<shift>(Access::load(from_a), Access::load(from_a + 1));
        const float4 of_b = shifted<shift>(Access::load(from_b), Access::load(from_b + 1));
        Access::store(reinterpret_cast<float4*>(c + i), of_a + of_b);
    } else {
        for (std::size_t tail = k; tail < n && tail < k + 4; ++tail) {
            c[tail - offset] = a[tail] + b[tail];
        }
    }
}

// The first `shift` floats of the next lane's word; the last lane of a warp has no next one.
template <int shift>
__device__ inline float4 next_word(float4 mine, const float4* next, bool is_last_lane) {
    float4 word = mine;
    word.x = __shfl_down_sync(0xffffffffu, mine.x, 1);
    if constexpr (shift > 1) word.y = __shfl_down_sync(0xffffffffu, mine.y, 1);
    if constexpr (shift > 2) word.z = __shfl_down_sync(0xffffffffu, mine.z, 1);
    return is_last_lane ? *next : word;
}

// The same without the second load: the next word comes from the lane that has it.
template <int shift>
__global__ void read_offset_shuffled(const float* a, const float* b, float* c, std::size_t n,
                                     std::size_t offset) {
    const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
    const std::size_t k = i + offset;
    const std::size_t aligned = k - shift;
    const bool is_last_lane = threadIdx.x % 32 == 31;
    // All lanes of a warp shuffle, or none: the last one's words lie furthest.
    if (aligned + (31 - threadIdx.x % 32) * 4 + 8 <= n) {
        const float4* const from_a = reinterpret_cast<const float4*>(a + aligned);
        const float4* const from_b = reinterpret_cast<const float4*>(b + aligned);
        const float4 low_a = from_a[0];
        const float4 low_b = from_b[0];
        *reinterpret_cast<float4*>(c + i) =
            shifted<shift>(low_a, next_word<shift>(low_a, from_a + 1, is_last_lane)) +
            shifted<shift>(low_b, next_word<shift>(low_b, from_b + 1, is_last_lane));
    } else {
        for (std::size_t tail = k; tail < n && tail < k + 4; ++tail) {
            c[tail - offset] = a[tail] + b[tail];
        }
    }
}

// ---- the device's ceilings, one 16-byte access of each kind a thread --------------------------

template <class Access>
__global__ void copy_wide(const float4* from, float4* to) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    Access::store(to + i, Access::load(from + i));
}

template <class Access>
__global__ void scale_wide(float factor, const float4* from, float4* to) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const float4 value = Access::load(from + i);
    Access::store(to + i, make_float4(value.x * factor, value.y * factor, value.z * factor,
                                      value.w * factor));
}

__global__ void write_wide(float value, float4* to) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    to[i] = make_float4(value, value, value, value);
}

// Reads `words_per_thread` words a thread, a block's width apart, and writes 4 bytes a warp, so that
// the compiler has to read: the sum of the warp's words.
template <int words_per_thread>
__global__ void read_wide(const float4* from, float* warp_sums) {
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * words_per_thread + threadIdx.x;
    float4 sum = from[first];
#pragma unroll
    for (int j = 1; j < words_per_thread; ++j) {
        sum = sum + from[first + std::size_t{blockDim.x} * j];
    }
    float of_warp = (sum.x + sum.y) + (sum.z + sum.w);
    for (int distance = 16; distance > 0; distance /= 2) {
        of_warp += __shfl_xor_sync(0xffffffffu, of_warp, distance);
    }
    if (threadIdx.x % 32 == 0) {
        warp_sums[(std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32] = of_warp;
    }
}
