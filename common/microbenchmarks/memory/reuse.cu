// Data that launches read again after the L2 has evicted them: 2^24 words at random positions of arrays of several sizes;
// and copies: each launch copies the same again. Prints a line each, `case,us`.
#include <cstdint>
#include <cstdio>

#include "../back_to_back.hpp"

namespace {

using back_to_back::check;
using back_to_back::mib;

constexpr std::size_t arena_bytes = 512 * mib;
constexpr unsigned threads = 256, words_of_a_thread = 8;
constexpr unsigned words = 1u << 24;  // four for each line of the largest array
constexpr int warm_up = 1, launches = 2;

__device__ unsigned mixed(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__global__ void read_anywhere(const unsigned* in, unsigned mask, unsigned seed, unsigned* out) {
    const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * words_of_a_thread;
    unsigned sum = 0;
#pragma unroll
    for (unsigned i = 0; i < words_of_a_thread; ++i) sum += in[mixed(first + i + seed) & mask];
    if (sum == 0x12345) *out = sum;  // never
}

__global__ void copy(const float4* in, float4* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

void print_words(const char* arena, unsigned* out, std::size_t bytes) {
    const auto* const in = reinterpret_cast<const unsigned*>(arena);
    const auto mask = static_cast<unsigned>(bytes / sizeof(unsigned) - 1);
    const double us = 1e-3 * back_to_back::nanoseconds_of(arena, warm_up, launches, [&](int i) {
                          read_anywhere<<<words / words_of_a_thread / threads, threads>>>(
                              in, mask, static_cast<unsigned>(i) * 77777777u, out);
                      });
    std::printf("\"words anywhere in %zu MiB\",%.3f\n", bytes / mib, us);
}

void print_copy(char* arena, std::size_t bytes_of_both) {
    const std::size_t bytes = bytes_of_both / 2;
    const double us =
        1e-3 * back_to_back::nanoseconds_of(arena, warm_up, launches, [&](int) {
            copy<<<static_cast<unsigned>(bytes / sizeof(float4) / threads), threads>>>(
                reinterpret_cast<const float4*>(arena),
                reinterpret_cast<float4*>(arena + arena_bytes / 2));
        });
    std::printf("\"copy, %zu MiB of both\",%.3f\n", bytes_of_both / mib, us);
}

}  // namespace

int main() {
    char* arena;
    unsigned* out;
    check(cudaMalloc(&arena, arena_bytes));
    check(cudaMalloc(&out, sizeof(unsigned)));
    check(cudaMemset(arena, 0, arena_bytes));
    std::printf("case,us\n");
    for (const std::size_t size : {4, 8, 16, 32, 64, 128, 256, 512})
        print_words(arena, out, size * mib);
    for (const std::size_t size : {16, 24, 32, 36, 40, 44, 48, 56, 64})
        print_copy(arena, size * mib);
    check(cudaFree(out));
    check(cudaFree(arena));
}
