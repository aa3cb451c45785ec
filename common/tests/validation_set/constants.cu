// What reading constant memory costs where lanes read different addresses: cycles of a load by one warp that waits for
// each, and by an SM with many warps, which read words or 8 bytes. Prints a line each, `read,cycles`.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int entries = 1024, loads = 8;

__constant__ alignas(8) int table[entries];  // zeros

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
}
