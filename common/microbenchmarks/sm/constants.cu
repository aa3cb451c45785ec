// The cost of reading constant memory where lanes read different addresses: cycles of a load by one warp that waits for
// each, and by an SM with many warps, which read words or 8 bytes; and of tables that the first cache lacks. Prints a
// line each, `read,cycles`.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int entries = 1024, all_entries = 16384, loads = 8;

__constant__ alignas(8) int table[all_entries];  // zeros

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "error: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

// Each load's address comes from the one before.
__global__ void chase(int addresses, int rounds, long long* cycles, int* out) {
    int at = static_cast<int>(threadIdx.x) % addresses;
    const int mine = at;
    const long long begin = clock64();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < loads; ++i) at = table[at] + mine;
    }
    *cycles = clock64() - begin;
    out[threadIdx.x] = at;
}

__device__ int total(int value) { return value; }
__device__ int total(int2 value) { return value.x + value.y; }

template <class T>
__global__ void stream(int addresses, int rounds, long long* cycles, int* out) {
    const T* const values = reinterpret_cast<const T*>(table);
    constexpr int count = entries * sizeof(int) / sizeof(T);
    const int mine = static_cast<int>(threadIdx.x % 32) % addresses;
    int sum = 0;
    const long long begin = clock64();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < loads; ++i) sum += total(values[(mine + 37 * i + 5 * round) % count]);
    }
    cycles[threadIdx.x / 32] = clock64() - begin;
    out[threadIdx.x] = sum;
}

// Lanes read the first `words` words, other ones each time and in each warp; lanes' pairs of words lie `apart`. A
// read is two loads, of one word each.
__global__ void stream_table(int words, int apart, int rounds, long long* cycles, float* out) {
    const float* const values = reinterpret_cast<const float*>(table);
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    float sum = 0;
    int at = (lane * apart + warp * (words / 32 / 8 * 8)) % words;
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < loads; ++i) {
            sum += values[at];
            sum += values[at ^ 1];
            at += 37 * 8;
            if (at >= words) at -= words;
        }
    }
    cycles[warp] = clock64() - begin;
    out[threadIdx.x] = sum;
}

enum class Work { chase, words, pairs };

void print(Work work, int addresses, long long* cycles, int* out) {
    constexpr int rounds = 100, warps = 32;
    for (int i = 0; i < 2; ++i) {  // the first time fills the cache
        if (work == Work::chase) chase<<<1, 32>>>(addresses, rounds, cycles, out);
        if (work == Work::words) stream<int><<<1, 32 * warps>>>(addresses, rounds, cycles, out);
        if (work == Work::pairs) stream<int2><<<1, 32 * warps>>>(addresses, rounds, cycles, out);
        check(cudaDeviceSynchronize());
    }
    const int count = work == Work::chase ? 1 : warps;
    const long long longest = *std::max_element(cycles, cycles + count);
    std::printf("\"%d addresses%s, %s\",%.2f\n", addresses,
                work == Work::pairs ? " of 8 bytes" : "",
                work == Work::chase ? "one after another" : "32 warps",
                static_cast<double>(longest) / (rounds * loads * count));
}

void print_table(int kibibytes, int lines, long long* cycles, int* out) {
    constexpr int rounds = 100, warps = 32, words_of_kibibyte = 256, words_of_line = 16;
    const int apart = lines == 1 ? 0 : lines * words_of_line / 32;
    for (int i = 0; i < 2; ++i) {
        stream_table<<<1, 32 * warps>>>(kibibytes * words_of_kibibyte, apart, rounds, cycles,
                                        reinterpret_cast<float*>(out));
        check(cudaDeviceSynchronize());
    }
    std::printf(
        "\"pairs in %d lines of %d KiB, 32 warps\",%.2f\n", lines, kibibytes,
        static_cast<double>(*std::max_element(cycles, cycles + warps)) / (rounds * loads * warps));
}

}  // namespace

int main() {
    long long* cycles;
    int* out;
    check(cudaMallocManaged(&cycles, 32 * sizeof(long long)));
    check(cudaMalloc(&out, 1024 * sizeof(int)));
    std::printf("read,cycles\n");
    for (const int addresses : {1, 2, 4, 8, 16, 32}) {
        for (const Work work : {Work::chase, Work::words, Work::pairs})
            print(work, addresses, cycles, out);
    }
    for (const int lines : {1, 16, 32}) {
        for (const int kibibytes : {2, 4, 8, 16, 64}) print_table(kibibytes, lines, cycles, out);
    }
}
