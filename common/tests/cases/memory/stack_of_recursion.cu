// Functions that call themselves have 1,024 bytes a thread unless the program asks for more (CUDA Programming Guide,
// cudaLimitStackSize): ten activations of 256 bytes do not fit.
// expect: stack_of_recursion.cu:17 the call stack overflows: functions that call themselves have 1024 bytes a thread
// expect: hardware stack error
// expect: no launch was completed on emulated hopper
// exit: 1
// again: a larger stack is enough
// arguments: large
// expect: 45
// expect: 1 launch of 1 kernel
#include <cstdio>

__device__ __noinline__ int sum_down_to(int n, const int* previous) {
    int local[64];
    for (int i = 0; i < 64; ++i) local[i] = previous[i] + n;
    if (n == 0) return local[previous[0] & 63];
    const int sum = sum_down_to(n - 1, local);
    return sum + (local[n] & 0);
}

__global__ void sum(const int* zeros, int n, int* result) { *result = sum_down_to(n, zeros); }

int main(int count, char**) {
    if (count > 1) cudaDeviceSetLimit(cudaLimitStackSize, 4096);
    int *zeros, *result, host = 0;
    cudaMalloc(&zeros, 256);
    cudaMalloc(&result, 4);
    cudaMemset(zeros, 0, 256);
    sum<<<1, 1>>>(zeros, 9, result);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaMemcpy(&host, result, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", host);
    cudaFree(zeros);
    cudaFree(result);
}
