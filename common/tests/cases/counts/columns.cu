// Lanes read down a column: each takes a sector of its own, an eighth of it used.
// expect: 32.0 sectors a request, each 12.5 % used: the load is not coalesced
// expect: consecutive threads
// expect: chapter 01
__global__ void transpose(const float* in, float* out, int n) {
    const int column = blockIdx.x * 32 + threadIdx.x;
    const int row = blockIdx.y * 32 + threadIdx.y;
    out[row * n + column] = in[column * n + row];
}

int main() {
    const int n = 256;
    float *in, *out;
    cudaMalloc(&in, 4 * n * n);
    cudaMalloc(&out, 4 * n * n);
    cudaMemset(in, 0, 4 * n * n);
    transpose<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(in, out, n);
    return cudaDeviceSynchronize();
}
