// The address of a __device__ variable is one of the GPU.
// expect: host code dereferences 0x
// expect: signal SIGSEGV
// expect-not: count is
// exit: 1
#include <cstdio>

__device__ int count = 7;

int main() {
    int* address;
    if (cudaGetSymbolAddress((void**)&address, count) != cudaSuccess) return 2;
    std::printf("count is %d\n", *address);
}
