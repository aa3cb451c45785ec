// One kernel and one grid, strides of 1, 8 and 1: 32 lanes of 4 bytes take 4 sectors with stride 1, 32 with stride 8.
// Launches that count alike are one row, the other one stays apart.
// expect: 3 launches of 1 kernel
// expect: read: 2 launches of grid 8, block 256 (launches 1, 3)
// expect: read: grid 8, block 256 (launch 2)
__global__ void read(const float* in, float* out, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride];
}

int main() {
    float *in, *out;
    const int n = 2048;
    cudaMalloc(&in, 8 * n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemset(in, 0, 8 * n * sizeof(float));
    for (int stride : {1, 8, 1}) read<<<n / 256, 256>>>(in, out, stride);
    return cudaDeviceSynchronize();
}
