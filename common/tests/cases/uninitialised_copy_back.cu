// Eight of 64 floats are never written, and copied to the host.
// initcheck: Host API uninitialized memory access.
// flags: --check-hazards
// expect: ! hazard: cudaMemcpy copies 32 bytes that nothing has written to the host, the first of them byte 224 of an allocation of 256 bytes, uninitialised_copy_back.cu:
// exit: 1
#include <cstdio>
__global__ void k(float* o, int n) {
    int i = threadIdx.x;
    if (i < n - 8) o[i] = i;
}
int main() {
    float *o, h[64];
    cudaMalloc(&o, 256);
    k<<<1, 64>>>(o, 64);
    cudaMemcpy(h, o, 256, cudaMemcpyDeviceToHost);
    printf("%g\n", h[63]);
    cudaFree(o);
}
