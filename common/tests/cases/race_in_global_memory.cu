// All threads add to one word without an atomic: a GPU prints some number below 1024.
// flags: --check-hazards
// expect: ! hazard: kernel sum(int const*, int*), block (0,0,0), thread (0,0,0): race_in_global_memory.cu:6 writes byte 0 of an allocation of 4 bytes, which other threads at race_in_global_memory.cu:6 read, with no barrier or fence between them: a race in global memory
// exit: 1
#include <cstdio>
__global__ void sum(const int* a, int* s) { *s += a[blockIdx.x * blockDim.x + threadIdx.x]; }
int main() {
    int *a, *s, h[1024], r;
    for (int& x : h) x = 1;
    cudaMalloc(&a, 4096);
    cudaMalloc(&s, 4);
    cudaMemcpy(a, h, 4096, cudaMemcpyHostToDevice);
    cudaMemset(s, 0, 4);
    sum<<<4, 256>>>(a, s);
    cudaMemcpy(&r, s, 4, cudaMemcpyDeviceToHost);
    printf("%d (1024)\n", r);
    cudaFree(a);
    cudaFree(s);
}
