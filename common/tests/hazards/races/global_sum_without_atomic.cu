// kind: race
// hazard: threads of all blocks add to one word without an atomic
// flags: --check-hazards
// exit: 1
// expect: ! hazard: kernel sum(int const*, int*), block (0,0,0), thread (0,0,0): global_sum_without_atomic.cu:8 writes byte 0 of an allocation of 4 bytes, which other threads at global_sum_without_atomic.cu:8 read, with no barrier or fence between them: a race in global memory
#include <cstdio>
__global__ void sum(const int* in, int* total) {
    *total += in[blockIdx.x * blockDim.x + threadIdx.x];
}
int main() {
    int *in, *total, result;
    cudaMalloc(&in, 4096);
    cudaMalloc(&total, 4);
    cudaMemset(in, 0, 4096);
    cudaMemset(total, 0, 4);
    sum<<<4, 256>>>(in, total);
    cudaMemcpy(&result, total, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", result);
    cudaFree(in);
    cudaFree(total);
}
