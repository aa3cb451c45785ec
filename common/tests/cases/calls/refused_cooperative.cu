// A grid that waits for all its blocks must fit the GPU: 132 SMs of 2,048 threads, so 264 blocks of 1,024.
// expect: ! refused launch: kernel wait_for_all, 265 blocks, at most 264 reside on the GPU at once (too many blocks in cooperative launch)
// exit: 1
#include <cooperative_groups.h>

__global__ void wait_for_all(int* values) {
    values[blockIdx.x] = 1;
    cooperative_groups::this_grid().sync();
}

int main() {
    int* values;
    cudaMalloc(&values, 4096);
    void* arguments[] = {&values};
    cudaLaunchCooperativeKernel((void*)wait_for_all, 265, 1024, arguments);
    cudaFree(values);
}
