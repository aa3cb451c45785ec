// Kernels of chapter 22: how many bytes a thread moves with one instruction.
#pragma once

#include <cstddef>

__device__ inline float sum_of(float a, float b) { return a + b; }
__device__ inline float2 sum_of(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ inline float4 sum_of(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// out[i] = in[i], one Word (float, float2, float4) a thread: the baseline is a float. A wider Word is the same bytes with
// a half or a quarter of the threads and of the instructions. The addresses must be multiples of the Word's size. The
// last elements, which do not fill a Word, are copied one by one.
template <class Word>
__global__ void copy(const float* in, float* out, std::size_t n) {
    constexpr std::size_t width = sizeof(Word) / sizeof(float);
    const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * width;
    if (i + width <= n) {
        *reinterpret_cast<Word*>(out + i) = *reinterpret_cast<const Word*>(in + i);
    } else {
        for (std::size_t tail = i; tail < n; ++tail) out[tail] = in[tail];
    }
}

// As many bytes a thread without wide accesses: `unroll` floats, a block's width apart, all loads before the first store.
// If only the bytes in flight matter, this is as fast as the wide access.
template <int unroll>
__global__ void copy_unrolled(const float* in, float* out, std::size_t n) {
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * unroll + threadIdx.x;
    float values[unroll];
#pragma unroll
    for (int j = 0; j < unroll; ++j) {
        const std::size_t i = first + std::size_t{blockDim.x} * j;
        if (i < n) values[j] = in[i];
    }
#pragma unroll
    for (int j = 0; j < unroll; ++j) {
        const std::size_t i = first + std::size_t{blockDim.x} * j;
        if (i < n) out[i] = values[j];
    }
}

// The four neighbours of a float4 as four floats: the compiler does not merge them, for the pointers need not be
// multiples of 16 bytes. Each access of a warp touches every fourth float of 512 bytes: 16 sectors instead of 4.
__global__ void copy_neighbours(const float* in, float* out, std::size_t n) {
    const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
    float values[4];
#pragma unroll
    for (std::size_t j = 0; j < 4; ++j) {
        if (i + j < n) values[j] = in[i + j];
    }
#pragma unroll
    for (std::size_t j = 0; j < 4; ++j) {
        if (i + j < n) out[i + j] = values[j];
    }
}

// Four floats that are assigned as one value. With the alignment of a float the compiler has to make four accesses of
// it, with one of 16 bytes it makes one.
template <std::size_t alignment>
struct alignas(alignment) Quad {
    float x, y, z, w;
};

template <std::size_t alignment>
__global__ void copy_struct(const float* in, float* out, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i * 4 + 4 <= n) {
        reinterpret_cast<Quad<alignment>*>(out)[i] =
            reinterpret_cast<const Quad<alignment>*>(in)[i];
    } else {
        for (std::size_t tail = i * 4; tail < n; ++tail) out[tail] = in[tail];
    }
}

// copy by a fixed number of blocks. Each goes on by the width of the grid: how many warps an SM has is then the
// launch's decision, and a wide access stands against more warps.
template <class Word>
__global__ void copy_striding(const float* in, float* out, std::size_t n) {
    const Word* const words_in = reinterpret_cast<const Word*>(in);
    Word* const words_out = reinterpret_cast<Word*>(out);
    const std::size_t words = n * sizeof(float) / sizeof(Word);
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    for (std::size_t i = first; i < words; i += stride) words_out[i] = words_in[i];
    const std::size_t tail = words * (sizeof(Word) / sizeof(float)) + first;
    if (tail < n) out[tail] = in[tail];
}

// out[i] = in[i + offset], one Word a thread: its loads are possible only where `offset` is a multiple of the Word. The last
// `offset` elements are not written: there is nothing to read for them.
template <class Word>
__global__ void copy_offset(const float* in, float* out, std::size_t n, std::size_t offset) {
    constexpr std::size_t width = sizeof(Word) / sizeof(float);
    const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * width;
    if (i + offset + width <= n) {
        *reinterpret_cast<Word*>(out + i) = *reinterpret_cast<const Word*>(in + i + offset);
    } else {
        for (std::size_t tail = i; tail + offset < n; ++tail) out[tail] = in[tail + offset];
    }
}

// c[i] = a[i] + b[i], one Word a thread: two loads in flight instead of one.
template <class Word>
__global__ void add(const float* a, const float* b, float* c, std::size_t n) {
    constexpr std::size_t width = sizeof(Word) / sizeof(float);
    const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * width;
    if (i + width <= n) {
        *reinterpret_cast<Word*>(c + i) =
            sum_of(*reinterpret_cast<const Word*>(a + i), *reinterpret_cast<const Word*>(b + i));
    } else {
        for (std::size_t tail = i; tail < n; ++tail) c[tail] = a[tail] + b[tail];
    }
}
