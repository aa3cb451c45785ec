// When stores of a warp merge with the one before: kernels whose lines the L2 counts under a profiler,
//     ncu --clock-control none --cache-control none --metrics lts__t_requests_srcunit_tex_op_write.sum --csv merged_stores
// An SM's warps store one after another into the same lines, 4 bytes apart, as many cycles apart as `apart` says. Prints
// the name of each launch, in their order; data/timing/merged_stores.csv has each count over 132 SMs of an H200.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "error: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

__global__ void store(char* arena, unsigned lines, unsigned apart) {
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, group = 32 / lines;
    char* const mine = arena + std::size_t{blockIdx.x} * 65536;
    __syncthreads();
    const long long begin = clock64();
    while (clock64() - begin < static_cast<long long>(apart) * warp) {
    }
    *reinterpret_cast<float*>(mine + lane / group * 1024 + warp * 4 + lane % group * 4) = 1;
}

}  // namespace

int main() {
    constexpr unsigned sms = 132;
    char* arena;
    check(cudaMalloc(&arena, std::size_t{sms} * 65536));
    for (const unsigned warps : {2u, 4u, 8u}) {
        for (const unsigned lines : {4u, 8u, 16u, 32u}) {
            for (const unsigned apart : {0u, 30u, 100u, 400u}) {
                store<<<sms, 32 * warps>>>(arena, lines, apart);
                check(cudaDeviceSynchronize());
                std::printf("%u warps, %u lines, %u cycles apart\n", warps, lines, apart);
            }
        }
    }
}
