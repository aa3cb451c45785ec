// Kernels of chapter 01: copies that differ in the addresses of a warp, and in nothing else.
#pragma once

#include <cstddef>

// Stride 1 is the aligned and coalesced copy, the baseline of all: the 32 words of a warp fill one
// 128-byte line, four 32-byte sectors. A larger stride spreads them over as many times the memory.
__global__ void copy_strided(const float* in, float* out, std::size_t n, unsigned stride) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i * stride];
}

// The baseline with the lanes in another order: lane l reads word l ^ mask (mask < 32) of the warp's
// line. The same words, so the same sectors: the order of the lanes should not matter.
__global__ void copy_permuted(const float* in, float* out, std::size_t n, unsigned mask) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i ^ mask];
}

// The baseline moved: still 128 contiguous bytes, but they begin inside a line and end in the next.
__global__ void copy_misaligned(const float* in, float* out, std::size_t n, unsigned offset) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i + offset];
}

// All lanes of a warp read one word, word `word` of the line that the baseline would read. What comes
// with it is not used.
__global__ void copy_broadcast(const float* in, float* out, std::size_t n, unsigned word) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i / 32 * 32 + word];
}

// Each warp reads 32 different words of its own `lines` lines (1 to 32): lane after lane goes to the
// next line, and to the next word when it has been to all. More lines for the same 128 bytes.
__global__ void copy_scattered(const float* in, float* out, std::size_t n, unsigned lines) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x % 32;
    if (i < n) out[i] = in[i / 32 * 32 * lines + lane % lines * 32 + lane / lines];
}

// Each warp reads `segments` 32-byte segments (1 to 4) of its line, 8 lanes each; the lanes that are
// left over do nothing. How much of a line has to move at least?
__global__ void copy_segments(const float* in, float* out, std::size_t n, unsigned segments) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n && threadIdx.x % 32 / 8 < segments) out[i] = in[i];
}

// The least that lanes can ask for: a byte each, `stride` bytes apart. At stride 128 each byte is in a
// line of its own.
__global__ void copy_bytes(const unsigned char* in, unsigned char* out, std::size_t n,
                           unsigned stride) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i * stride];
}

// The pattern is on the other side now. All lanes load; each warp has 256 bytes of the output and stores
// `segments` 32-byte segments (1 to 4) of them, 8 lanes each, `spacing` segments (1 or 2) from one to the
// next. A store instruction takes `together` of them, so all in one, or one after another. 4 segments at
// spacing 1 in one store are the coalesced store.
__global__ void store_segments(const float* in, float* out, std::size_t n, unsigned segments,
                               unsigned spacing, unsigned together) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float value = in[i];
    const unsigned segment = threadIdx.x % 32 / 8;
    float* const to = out + i / 32 * 64 + segment * spacing * 8 + threadIdx.x % 8;
    for (unsigned first = 0; first < segments; first += together) {
        if (segment >= first && segment < first + together) *to = value;
    }
}
