// kind: clean
// hazard: none: blocks exchange values across a barrier of the grid
// flags: --check-hazards
// exit: 0
// expect-not: hazard
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void rotate(int* a, int* b, int n) {
    cg::grid_group grid = cg::this_grid();
    for (int round = 0; round < 4; ++round) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        b[i] = a[(i + blockDim.x) % n];
        grid.sync();
        a[i] = b[(i + 1) % n];
        grid.sync();
    }
}
int main() {
    int *a, *b, n = 8 * 64;
    cudaMalloc(&a, n * 4);
    cudaMalloc(&b, n * 4);
    cudaMemset(a, 0, n * 4);
    void* arguments[] = {&a, &b, &n};
    cudaLaunchCooperativeKernel((void*)rotate, dim3(8), dim3(64), arguments, 0, nullptr);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(a);
    cudaFree(b);
}
