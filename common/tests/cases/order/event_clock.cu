// A program that times with events has the predicted time: no note.
// expect: 1 launch of 1 kernel
// expect-not: host's clock
#include <cstdio>

__global__ void write(float* out) { out[threadIdx.x] = 1; }

int main() {
    float *out, milliseconds = 0;
    cudaEvent_t start, stop;
    cudaMalloc(&out, 1024);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    write<<<1, 32>>>(out);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&milliseconds, start, stop);
    std::printf("%g ms\n", milliseconds);
    return milliseconds > 0 ? 0 : 1;
}
