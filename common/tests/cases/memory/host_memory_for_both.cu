// Managed and page-locked memory, and a __managed__ variable, are the host's and the GPU's.
// expect: sum 10
// expect-not: emulated GPU: error
#include <cstdio>

__managed__ int own = 1;

__global__ void add(int* managed, int* locked) { own += *managed + *locked; }

int main() {
    int *managed, *locked;
    cudaMallocManaged(&managed, sizeof(int));
    cudaMallocHost(&locked, sizeof(int));
    *managed = 4;
    *locked = 5;
    add<<<1, 1>>>(managed, locked);
    cudaDeviceSynchronize();
    std::printf("sum %d\n", own);
    return cudaFree(managed) + cudaFreeHost(locked);
}
