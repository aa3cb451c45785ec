// Cycles as a kernel's own clock counts them: small loops of the kind that microbenchmarks time. Prints a line a
// loop, `name,cycles`: the fewest of five launches after one that warms up, over the operations that it times.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

namespace {

using Ticks = unsigned long long;
constexpr int operations = 256;

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "error: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

// The first warp of the first block.
__device__ void store(Ticks* took, Ticks begin, Ticks end) {
    if (threadIdx.x == 0 && blockIdx.x == 0) *took = end - begin;
}

// All warps of a block, from the first one's beginning to the last one's end: a GPU may begin with any.
__device__ void store_of_all(Ticks* took, Ticks begin, Ticks end) {
    __shared__ Ticks begins[32], ends[32];
    if (threadIdx.x % 32 == 0) {
        begins[threadIdx.x / 32] = begin;
        ends[threadIdx.x / 32] = end;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (unsigned i = 1; i < blockDim.x / 32; ++i) {
        begin = min(begin, begins[i]);
        end = max(end, ends[i]);
    }
    *took = end - begin;
}

// ---- a chain of operations: each needs the one before -------------------------------------------------

template <class T, class Operation>
__device__ void chain(Ticks* took, T* value, T first, Operation operation) {
    T sum = first;
    const Ticks begin = clock64();
#pragma unroll
    for (int i = 0; i < operations; ++i) sum = operation(sum);
    *value = sum;
    const Ticks end = clock64();
    store(took, begin, end);
}

__global__ void multiply_add(Ticks* took, float* value, float x) {
    chain(took, value, x, [=](float sum) { return fmaf(sum, x, x); });
}
__global__ void multiply_add_integer(Ticks* took, int* value, int x) {
    chain(took, value, x, [=](int sum) { return sum * x + x; });
}
__global__ void multiply_add_double(Ticks* took, double* value, double x) {
    chain(took, value, x, [=](double sum) { return fma(sum, x, x); });
}
__global__ void reciprocal_root(Ticks* took, float* value, float x) {
    chain(took, value, x, [=](float sum) { return __frsqrt_rn(1.0F) + rsqrtf(sum); });
}
// Lanes differ: of equal values ptxas makes no shuffle.
__global__ void shuffle(Ticks* took, int* value, int x) {
    chain(took, value, static_cast<int>(threadIdx.x) * x,
          [](int sum) { return __shfl_xor_sync(~0U, sum, 1) + 1; });
}

// ---- a chase: each load's address is the value of the load before ------------------------------------------

// `before` loads come first and are not timed.
__global__ void chase(Ticks* took, unsigned* value, const unsigned* next, unsigned first,
                      int before) {
    unsigned at = first;
    for (int i = 0; i < before; ++i) at = next[at];
    const Ticks begin = clock64();
#pragma unroll 16
    for (int i = 0; i < operations; ++i) at = next[at];
    *value = at;
    const Ticks end = clock64();
    store(took, begin, end);
}

// Lanes are `apart` words apart.
__global__ void chase_shared(Ticks* took, unsigned* value, unsigned apart) {
    __shared__ unsigned next[1024];
    for (int i = static_cast<int>(threadIdx.x); i < 1024; i += static_cast<int>(blockDim.x))
        next[i] = static_cast<unsigned>((i + 32) % 1024);
    __syncthreads();
    unsigned at = threadIdx.x * apart;
    const Ticks begin = clock64();
#pragma unroll 16
    for (int i = 0; i < operations; ++i) at = next[at];
    *value = at;
    const Ticks end = clock64();
    store(took, begin, end);
}

__global__ void add_and_wait(Ticks* took, unsigned* value, unsigned* counter) {
    unsigned sum = 0;
    const Ticks begin = clock64();
#pragma unroll 16
    for (int i = 0; i < operations; ++i) sum = atomicAdd(counter, (sum & 1) + 1);
    *value = sum;
    const Ticks end = clock64();
    store(took, begin, end);
}

// ---- throughput: all warps of a block together -------------------------------------------------------------

__global__ void multiply_adds(Ticks* took, float* value, float x) {
    float sums[8];
    for (int i = 0; i < 8; ++i) sums[i] = x + static_cast<float>(i);
    __syncthreads();
    const Ticks begin = clock64();
#pragma unroll
    for (int i = 0; i < operations; ++i) sums[i % 8] = fmaf(sums[i % 8], x, x);
    float sum = 0;
    for (const float each : sums) sum += each;
    value[threadIdx.x] = sum;  // before the second clock, as the sums have to be
    const Ticks end = clock64();
    store_of_all(took, begin, end);
}

// Each warp's lanes `stride` words apart.
__global__ void read_shared(Ticks* took, unsigned* value, int stride) {
    __shared__ unsigned words[4096];
    for (int i = static_cast<int>(threadIdx.x); i < 4096; i += static_cast<int>(blockDim.x))
        words[i] = i;
    unsigned sum = 0;
    const unsigned first = threadIdx.x % 32 * static_cast<unsigned>(stride) % 1024;
    __syncthreads();
    const Ticks begin = clock64();
#pragma unroll 16
    for (int i = 0; i < operations; ++i) sum += words[first + static_cast<unsigned>(i)];
    value[threadIdx.x] = sum;
    const Ticks end = clock64();
    store_of_all(took, begin, end);
}

__global__ void barriers(Ticks* took) {
    __syncthreads();
    const Ticks begin = clock64();
#pragma unroll 16
    for (int i = 0; i < operations; ++i) __syncthreads();
    const Ticks end = clock64();
    store(took, begin, end);
}

__global__ void clocks(Ticks* took, Ticks* value) {
    Ticks sum = 0;
    const Ticks begin = clock64();
#pragma unroll
    for (int i = 0; i < operations; ++i) sum ^= clock64();
    const Ticks end = clock64();
    *value = sum;
    store(took, begin, end);
}

// ---- the table -------------------------------------------------------------------------------------------

Ticks* took = nullptr;
void* value = nullptr;

template <class Launch>
void report(const std::string& name, Launch launch) {
    Ticks fewest = std::numeric_limits<Ticks>::max();
    for (int i = -1; i < 5; ++i) {
        launch(static_cast<unsigned>(i + 1));
        check(cudaGetLastError());
        Ticks ticks = 0;
        check(cudaMemcpy(&ticks, took, sizeof ticks, cudaMemcpyDeviceToHost));
        if (i >= 0) fewest = std::min(fewest, ticks);
    }
    std::printf("\"%s\",%.2f\n", name.c_str(), static_cast<double>(fewest) / operations);
}

std::string counted(unsigned warps) {
    return std::to_string(warps) + (warps == 1 ? " warp" : " warps");
}

// Cells of a line each, `lines` of them, every `step`-th the next one.
unsigned* ring(unsigned lines, unsigned step) {
    std::vector<unsigned> next(lines * 32U);
    for (unsigned i = 0; i < lines; ++i) next[i * 32] = (i + step) % lines * 32;
    unsigned* device = nullptr;
    check(cudaMalloc(&device, next.size() * sizeof next[0]));
    check(cudaMemcpy(device, next.data(), next.size() * sizeof next[0], cudaMemcpyHostToDevice));
    return device;
}

}  // namespace

int main() {
    check(cudaMalloc(&took, sizeof *took));
    check(cudaMalloc(&value, 4096 * sizeof(double)));
    const auto as = [](auto type) { return static_cast<decltype(type)*>(value); };
    std::printf("loop,cycles\n");
    report("multiply-add", [&](unsigned) { multiply_add<<<1, 32>>>(took, as(0.0F), 0.5F); });
    report("multiply-add of integers",
           [&](unsigned) { multiply_add_integer<<<1, 32>>>(took, as(0), 3); });
    report("multiply-add of doubles",
           [&](unsigned) { multiply_add_double<<<1, 32>>>(took, as(0.0), 0.5); });
    report("reciprocal square root and sum",
           [&](unsigned) { reciprocal_root<<<1, 32>>>(took, as(0.0F), 0.5F); });
    report("shuffle and sum", [&](unsigned) { shuffle<<<1, 32>>>(took, as(0), 3); });
    report("load from shared memory", [&](unsigned) { chase_shared<<<1, 32>>>(took, as(0U), 1); });
    for (const unsigned lanes : {2U, 4U, 8U, 16U, 32U})
        report("load from shared memory, " + std::to_string(lanes) + " lanes in a bank",
               [&](unsigned) { chase_shared<<<1, 32>>>(took, as(0U), lanes); });
    unsigned* const small = ring(64, 1);
    report("load from the L1", [&](unsigned) { chase<<<1, 1>>>(took, as(0U), small, 0, 64); });
    constexpr unsigned fits_l2 = 64U * operations, needs_dram = 4096U * operations;
    unsigned* const middle = ring(fits_l2, 7);
    for (unsigned i = 0; i < fits_l2; i += operations)  // once through all of it
        chase<<<1, 1>>>(took, as(0U), middle, i * 7 % fits_l2 * 32, 0);
    report("load from the L2", [&](unsigned launch) {
        chase<<<1, 1>>>(took, as(0U), middle, launch * operations * 7 % fits_l2 * 32, 0);
    });
    unsigned* const large = ring(needs_dram, 4099);
    report("load from DRAM", [&](unsigned launch) {
        chase<<<1, 1>>>(took, as(0U), large, (launch + 1) * 1031 % needs_dram * 32, 0);
    });
    check(cudaFree(large));
    unsigned* counter = nullptr;
    check(cudaMalloc(&counter, sizeof *counter));
    check(cudaMemset(counter, 0, sizeof *counter));
    report("atomic sum whose result is waited for",
           [&](unsigned) { add_and_wait<<<1, 1>>>(took, as(0U), counter); });
    for (const unsigned warps : {1U, 4U, 8U, 16U, 32U})
        report("multiply-adds, " + counted(warps),
               [&](unsigned) { multiply_adds<<<1, 32 * warps>>>(took, as(0.0F), 0.5F); });
    for (const unsigned warps : {1U, 4U, 8U, 16U, 32U})
        report("loads from shared memory, " + counted(warps),
               [&](unsigned) { read_shared<<<1, 32 * warps>>>(took, as(0U), 1); });
    for (const int stride : {2, 8, 32})
        report(
            "loads from shared memory, 32 warps, lanes " + std::to_string(stride) + " words apart",
            [&](unsigned) { read_shared<<<1, 1024>>>(took, as(0U), stride); });
    for (const unsigned warps : {1U, 2U, 4U, 8U, 16U, 32U})
        report("barrier of " + counted(warps),
               [&](unsigned) { barriers<<<1, 32 * warps>>>(took); });
    report("the clock itself", [&](unsigned) { clocks<<<1, 32>>>(took, as(Ticks{})); });
    check(cudaDeviceSynchronize());
    return 0;
}
