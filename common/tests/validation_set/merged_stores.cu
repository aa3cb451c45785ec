// When stores of a warp merge with the one before: kernels that a profiler counts the L2's requests and sectors of
// (lts__t_requests_srcunit_tex_op_write, lts__t_sectors_srcunit_tex_op_write). An SM's warps store one after another into the same lines, 4 bytes
// apart, as many cycles apart as `apart` says. Prints the name of each launch, in their order.
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
