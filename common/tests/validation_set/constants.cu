// What reading constant memory costs where lanes read different addresses: cycles of a load by one warp that waits for
// each, and by an SM with many warps. Prints a line each, `read,cycles`.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int entries = 1024, loads = 8;

__constant__ int table[entries];  // zeros

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

__global__ void stream(int addresses, int rounds, long long* cycles, int* out) {
    const int mine = static_cast<int>(threadIdx.x % 32) % addresses;
    int sum = 0;
    const long long begin = clock64();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < loads; ++i) sum += table[(mine + 37 * i + 5 * round) % entries];
    }
    cycles[threadIdx.x / 32] = clock64() - begin;
    out[threadIdx.x] = sum;
}

}  // namespace

int main() {
    constexpr int rounds = 100, warps = 32;
    long long* cycles;
    int* out;
    check(cudaMallocManaged(&cycles, warps * sizeof(long long)));
    check(cudaMalloc(&out, warps * 32 * sizeof(int)));
    std::printf("read,cycles\n");
    for (const int addresses : {1, 2, 4, 8, 16, 32}) {
        for (const bool is_chase : {true, false}) {
            for (int i = 0; i < 2; ++i) {  // the first time fills the cache
                if (is_chase)
                    chase<<<1, 32>>>(addresses, rounds, cycles, out);
                else
                    stream<<<1, 32 * warps>>>(addresses, rounds, cycles, out);
                check(cudaDeviceSynchronize());
            }
            const int count = is_chase ? 1 : warps;
            const long long longest = *std::max_element(cycles, cycles + count);
            std::printf("\"%d addresses, %s\",%.2f\n", addresses,
                        is_chase ? "one after another" : "32 warps",
                        static_cast<double>(longest) / (rounds * loads * count));
        }
    }
}
