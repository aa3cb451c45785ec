// The memory is free when the kernel writes to it, and nothing else has taken its place.
// memcheck: Invalid __global__ write, out of bounds.
// expect: writes 4 bytes of an allocation of 256 bytes that was freed
// exit: 1
#include <cstdio>
__global__ void k(int* a) { a[threadIdx.x] = 1; }
int main() {
    int* a;
    cudaMalloc(&a, 256);
    cudaFree(a);
    k<<<1, 64>>>(a);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
