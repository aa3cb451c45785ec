// Neighbours of a stencil begin off a sector, and are found in the L1: no alignment would save anything.
// expect: 1 launch of 1 kernel
// expect-not: not aligned
__global__ void filter(const float* x, const float* weights, float* y, int taps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < taps; ++k) sum += weights[k] * x[i + k];
    y[i] = sum;
}

int main() {
    const int n = 1 << 16, taps = 16;
    float *x, *weights, *y;
    cudaMalloc(&x, (n + taps) * sizeof(float));
    cudaMalloc(&weights, taps * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemset(x, 0, (n + taps) * sizeof(float));
    cudaMemset(weights, 0, taps * sizeof(float));
    filter<<<n / 256, 256>>>(x, weights, y, taps);
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(weights);
    cudaFree(y);
}
