// A float4 whose address is no multiple of 16 bytes: run it on an emulated GPU, which names the line, or on a GPU,
// where the next call fails: scripts/lab emulate chapters/22_vector_loads/misaligned_float4.cu
#include <cstdio>

#include "kernels.cuh"

int main() {
    constexpr std::size_t n = 1 << 10;
    float *in = nullptr, *out = nullptr;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    copy_offset<float4><<<1, 256>>>(in, out, n, 1);
    const cudaError_t found = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorName(found));
    return found == cudaErrorMisalignedAddress ? 0 : 1;
}
