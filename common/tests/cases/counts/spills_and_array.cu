// Some values are spilled, and an array is indexed at run time as well: both are said.
// expect: spilled from registers
// expect: indexed at run time
__global__ void __launch_bounds__(1024, 2)
    mix(const float* in, const int* places, float* out, int n) {
    float values[48], table[32];
    const int thread = blockIdx.x * 1024 + threadIdx.x;
#pragma unroll
    for (int i = 0; i < 48; ++i) values[i] = in[i * n + thread];
    for (int i = 0; i < 32; ++i) table[places[i] % 32] = values[i];
    for (int j = 0; j < n / 1024; ++j) {
#pragma unroll
        for (int i = 0; i < 48; ++i)
            values[i] = values[i] * values[(i + 7) % 48] + table[(places[j] + i) % 32];
    }
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 48; ++i) sum += values[i];
    out[thread] = sum;
}

int main() {
    const int n = 8192;
    float *in, *out;
    int* places;
    cudaMalloc(&in, 48 * 4 * n);
    cudaMalloc(&out, 4 * n);
    cudaMalloc(&places, 4 * 32);
    cudaMemset(in, 0, 48 * 4 * n);
    cudaMemset(places, 0, 4 * 32);
    mix<<<8, 1024>>>(in, places, out, n);
    return cudaDeviceSynchronize();
}
