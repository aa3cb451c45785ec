// Barriers of blocks that share an SM: of 1 to 32 warps each, 1 to 32 blocks an SM, back to back and with dependent
// multiply-adds in between. Shared memory sets how many blocks an SM holds. Prints a line each, `barrier,cycles`: the
// median over SMs of their middle blocks, as the blocks' own clocks count them.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "../back_to_back.hpp"

namespace {

using back_to_back::check;

constexpr int rounds = 16, unrolled = 16;
constexpr unsigned max_warps_of_sm = 64;
constexpr std::size_t kib = 1024;
constexpr std::size_t max_shared_of_block = 227 * kib;

template <int multiply_adds>
__global__ void barriers(long long* took, unsigned* sms, float* out, float x) {
    float sum = x;
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < rounds; ++i) {
#pragma unroll
        for (int k = 0; k < unrolled; ++k) {
#pragma unroll
            for (int j = 0; j < multiply_adds; ++j) sum = fmaf(sum, x, x);
            __syncthreads();
        }
    }
    const long long end = clock64();
    if (threadIdx.x == 0) {
        unsigned sm;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        took[blockIdx.x] = end - begin;
        sms[blockIdx.x] = sm;
    }
    if (sum == 12345) *out = sum;  // never
}

// Leaves room for exactly so many blocks: each takes 1 KiB more than it asks for. An SM has no place for more than 32.
std::size_t shared_for(unsigned blocks) {
    if (blocks == 1) return 200 * kib;
    return blocks == 32 ? 6000 : (max_shared_of_block / blocks - kib) / 128 * 128;
}

struct Places {
    long long* took;  // by block
    unsigned* sms;
    float* out;
    unsigned count;  // of SMs
};

// The middle one of an SM's blocks (of two, the later one), and of these the middle one.
double ticks_of(const Places& places, unsigned of_sm) {
    std::map<unsigned, std::vector<double>> by_sm;
    for (unsigned i = 0; i < of_sm * places.count; ++i)
        by_sm[places.sms[i]].push_back(static_cast<double>(places.took[i]));
    std::vector<double> middle;
    for (const auto& [sm, ticks] : by_sm) {
        if (ticks.size() != of_sm) {
            std::fprintf(stderr, "error: an SM got %zu blocks instead of %u\n", ticks.size(),
                         of_sm);
            std::exit(1);
        }
        middle.push_back(back_to_back::median(ticks));
    }
    return back_to_back::median(middle);
}

std::string counted(unsigned count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

template <int multiply_adds>
void print(const Places& places, unsigned warps, unsigned of_sm) {
    check(cudaFuncSetAttribute(barriers<multiply_adds>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(max_shared_of_block)));
    for (int i = 0; i < 2; ++i) {  // the second time with its machine code at hand
        barriers<multiply_adds><<<of_sm * places.count, 32 * warps, shared_for(of_sm)>>>(
            places.took, places.sms, places.out, 0.5F);
        check(cudaGetLastError());
        check(cudaDeviceSynchronize());
    }
    const std::string name = counted(warps, "warp") + ", " + counted(of_sm, "block") + " an SM, " +
                             std::to_string(multiply_adds) + " multiply-adds";
    std::printf("\"%s\",%.2f\n", name.c_str(), ticks_of(places, of_sm) / (rounds * unrolled));
}

}  // namespace

int main() {
    cudaDeviceProp gpu{};
    check(cudaGetDeviceProperties(&gpu, 0));
    Places places{};
    places.count = static_cast<unsigned>(gpu.multiProcessorCount);
    check(cudaMallocManaged(&places.took, 32 * places.count * sizeof *places.took));
    check(cudaMallocManaged(&places.sms, 32 * places.count * sizeof *places.sms));
    check(cudaMalloc(&places.out, sizeof *places.out));
    std::printf("barrier,cycles\n");
    for (const unsigned warps : {1, 2, 4, 8, 16, 32}) {
        for (const unsigned of_sm : {1, 2, 8, 32}) {
            if (warps * of_sm > max_warps_of_sm) continue;
            print<0>(places, warps, of_sm);
            if (warps == 8) print<8>(places, warps, of_sm);
            if (warps == 1 || warps == 8 || warps == 32) print<32>(places, warps, of_sm);
        }
    }
    check(cudaFree(places.out));
    check(cudaFree(places.sms));
    check(cudaFree(places.took));
}
