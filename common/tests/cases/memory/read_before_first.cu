// Reads before an allocation, and does not use what it finds, as halos of stencils do. A GPU runs it where that page is mapped.
// flags: --keep-going
// expect: no error
// expect: reads 4 bytes 1024 bytes before an allocation of 65536 bytes
// exit: 1
// again: without --keep-going the launch stops at the first access out of bounds
// expect: an illegal memory access was encountered
// expect: reads 4 bytes 1024 bytes before an allocation of 65536 bytes
// exit: 1
#include <cstdio>
__global__ void halo(const volatile float* in, float* out, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float north = in[i - cols];  // of the first row: below the array
    if (i < cols) north = in[i];
    out[i] = north + in[i];
}
int main() {
    float *a, *b;
    cudaMalloc(&a, 1 << 16);
    cudaMalloc(&b, 1 << 16);
    halo<<<64, 256>>>(a, b, 256);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
