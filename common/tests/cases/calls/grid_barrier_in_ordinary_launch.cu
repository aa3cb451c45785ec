// Cooperative groups stop a kernel that waits for its grid without a cooperative launch.
// expect: trap: grid.sync() needs a cooperative launch (cudaLaunchCooperativeKernel)
// exit: 1
#include <cooperative_groups.h>

__global__ void both_steps(int* a) {
    a[blockIdx.x] = 1;
    cooperative_groups::this_grid().sync();
    a[blockIdx.x] += a[gridDim.x - 1 - blockIdx.x];
}

int main() {
    int* a;
    cudaMalloc(&a, 16);
    both_steps<<<4, 1>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}
