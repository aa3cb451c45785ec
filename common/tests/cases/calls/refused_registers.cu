// At most 1024 threads a block, yet the launch fails with 1024 (cudaErrorLaunchOutOfResources): 96 values stay in
// registers, so that 1024 threads need more than the 65,536 registers of a block.
// expect: ! refused launch: kernel accumulate, block 1024 of
// expect: registers, at most 65536
// expect: __launch_bounds__(1024)
// expect: (too many resources requested for launch), refused_registers.cu:30; the program did not check
// exit: 1
#include <cstdio>

__global__ void accumulate(const float* in, float* out, int n) {
    float value[96];
#pragma unroll
    for (int i = 0; i < 96; i++) value[i] = in[i * n + threadIdx.x];
    for (int j = 0; j < n; j++) {
#pragma unroll
        for (int i = 0; i < 96; i++) value[i] = value[i] * value[(i + 1) % 96] + j;
    }
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 96; i++) sum += value[i];
    out[threadIdx.x] = sum;
}

int main() {
    const int n = 1024;
    float *in, *out;
    cudaMalloc(&in, 96 * n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemset(in, 0, 96 * n * sizeof(float));
    accumulate<<<1, 1024>>>(in, out, 4);
    float first = 0;
    cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
    std::printf("%g\n", first);
    cudaFree(in);
    cudaFree(out);
}
