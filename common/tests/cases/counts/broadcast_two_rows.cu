// With blocks of 16 x 16 threads a warp reads two addresses of a, in two rows: two sectors, which no order of the threads
// makes fewer than the rows.
// expect-not: not aligned
// expect-not: not coalesced
__global__ void multiply(const float* a, const float* b, float* c, int n) {
    const int column = blockIdx.x * 16 + threadIdx.x;
    const int row = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

int main() {
    const int n = 128;
    float *a, *b, *c;
    cudaMalloc(&a, 4 * n * n);
    cudaMalloc(&b, 4 * n * n);
    cudaMalloc(&c, 4 * n * n);
    cudaMemset(a, 0, 4 * n * n);
    cudaMemset(b, 0, 4 * n * n);
    multiply<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
    return cudaDeviceSynchronize();
}
