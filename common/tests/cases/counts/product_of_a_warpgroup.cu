// One product of a warpgroup: 64 x 8 x 16, all elements of A 1, those of column n of B n.
//
// flags: --architecture h100
// nvcc: -gencode=arch=compute_90a,code=compute_90a
// expect: sums 0 16 32 112
// again: counts, with their names in the report
// flags: --architecture h100 --report json
// expect: "tensor_instructions": 4
#include <cuda_fp16.h>

#include <cstdio>

__global__ void multiply(float* sums) {
    __shared__ __align__(128) __half tiles[64 * 16 + 8 * 16];
    __half* const b = tiles + 64 * 16;
    for (int i = threadIdx.x; i < 64 * 16; i += 128) tiles[i] = __float2half(1);
    // Two matrices of 8 x 8 elements: eight columns, each with eight elements along k.
    b[threadIdx.x] = __int2half_rn(threadIdx.x % 64 / 8);
    asm volatile("fence.proxy.async;");
    __syncthreads();
    // Bytes in units of 16: the first and the second half of k lie `leading` apart, groups of eight rows `stride`.
    const auto descriptor = [](const __half* start, unsigned long long leading,
                               unsigned long long stride) {
        return __cvta_generic_to_shared(start) / 16 | leading / 16 << 16 | stride / 16 << 32;
    };
    float d[4] = {};
    asm volatile("wgmma.fence.sync.aligned;");
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "l"(descriptor(tiles, 1024, 128)), "l"(descriptor(b, 128, 128)));
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
    const unsigned row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
    for (int i = 0; i < 4; ++i) sums[(row + i / 2 * 8) * 8 + column + i % 2] = d[i];
}

int main() {
    float *sums = nullptr, result[64 * 8];
    cudaMalloc(&sums, sizeof result);
    multiply<<<1, 128>>>(sums);
    cudaMemcpy(result, sums, sizeof result, cudaMemcpyDeviceToHost);
    const float* const last = result + 63 * 8;
    std::printf("sums %g %g %g %g\n", last[0], last[1], last[2], last[7]);
    cudaFree(sums);
}
