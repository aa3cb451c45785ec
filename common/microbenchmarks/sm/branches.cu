// The cost of a branch to the warp that executes it: cycles of a round of a loop, and of a body that all threads of a warp
// skip or all execute. Prints a line each, `branch,cycles`.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int rounds = 200, branches = 8;

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "error: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

// `count` multiply-adds, each reads the result of the one before.
template <int count>
__device__ float chain(float x) {
#pragma unroll
    for (int i = 0; i < count; ++i) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
    return x;
}

template <int count>
__global__ void loop(long long* cycles, float* out) {
    float x = static_cast<float>(threadIdx.x);
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) x = chain<count>(x);
    cycles[threadIdx.x / 32] = clock64() - begin;
    out[threadIdx.x] = x;
}

// Bodies of `count` multiply-adds, too long for predicates. Whether a thread executes them is read from memory, so that
// threads might differ.
template <int count>
__global__ void bodies(const int* executes, long long* cycles, float* out) {
    float x = static_cast<float>(threadIdx.x);
    const int mine = executes[threadIdx.x];
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < branches; ++i) {
            if (mine > i) x = chain<count>(x);
            asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
        }
    }
    cycles[threadIdx.x / 32] = clock64() - begin;
    out[threadIdx.x] = x;
}

int* executes;
long long* cycles;
float* out;

template <class Launch>
void print(const char* what, int warps, int count, const Launch& launch) {
    for (int i = 0; i < 2; ++i) {  // the first time fills the caches
        launch(32 * warps);
        check(cudaDeviceSynchronize());
    }
    const long long longest = *std::max_element(cycles, cycles + warps);
    std::printf("\"%s, %d warps\",%.2f\n", what, warps,
                static_cast<double>(longest) / (rounds * count));
}

}  // namespace

int main() {
    check(cudaMallocManaged(&executes, 1024 * sizeof(int)));
    check(cudaMallocManaged(&cycles, 32 * sizeof(long long)));
    check(cudaMalloc(&out, 1024 * sizeof(float)));
    std::printf("branch,cycles\n");
    for (const int warps : {1, 16, 32}) {
        print("round of 1 multiply-add", warps, 1,
              [](int threads) { loop<1><<<1, threads>>>(cycles, out); });
        print("round of 8 multiply-adds", warps, 1,
              [](int threads) { loop<8><<<1, threads>>>(cycles, out); });
        print("round of 32 multiply-adds", warps, 1,
              [](int threads) { loop<32><<<1, threads>>>(cycles, out); });
    }
    for (const int all : {0, branches}) {
        std::fill(executes, executes + 1024, all);
        const char* const what =
            all == 0 ? "body of 16 that is skipped" : "body of 16 that is executed";
        for (const int warps : {1, 16, 32}) {
            print(what, warps, branches,
                  [](int threads) { bodies<16><<<1, threads>>>(executes, cycles, out); });
        }
    }
}
