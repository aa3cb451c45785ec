// A program without a fault: every launch counts, nothing is refused.
// expect: 1 launch of 1 kernel on emulated hopper
// expect: result 42
// expect-not: refused
// expect-not: failed
#include <cstdio>

__global__ void twice(int* values) { values[threadIdx.x] *= 2; }

int main() {
    int *device, host[32];
    for (int& value : host) value = 21;
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    twice<<<1, 32>>>(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("result %d\n", host[31]);
    return cudaFree(device) != cudaSuccess;
}
