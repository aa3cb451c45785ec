// __launch_bounds__ leaves a thread 32 registers for 64 values. All loops are unrolled, so no array is indexed at run time.
// expect: spilled from registers
// expect: local memory
// expect-not: indexed at run time
__global__ void __launch_bounds__(1024, 2) mix(const float* in, float* out, int n) {
    float values[64];
#pragma unroll
    for (int i = 0; i < 64; ++i) values[i] = in[i * n + blockIdx.x * 1024 + threadIdx.x];
    for (int j = 0; j < n / 1024; ++j) {
#pragma unroll
        for (int i = 0; i < 64; ++i) values[i] = values[i] * values[(i + 7) % 64] + j;
    }
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 64; ++i) sum += values[i];
    out[blockIdx.x * 1024 + threadIdx.x] = sum;
}

int main() {
    const int n = 8192;
    float *in, *out;
    cudaMalloc(&in, 64 * 4 * n);
    cudaMalloc(&out, 4 * n);
    cudaMemset(in, 0, 64 * 4 * n);
    mix<<<8, 1024>>>(in, out, n);
    return cudaDeviceSynchronize();
}
