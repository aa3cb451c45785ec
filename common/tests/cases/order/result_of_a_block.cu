// One thread of each block stores the block's sum: there is nothing that other lanes could store.
// expect-not: store of 1.0 lanes
// expect-not: shared memory
// expect-not: not coalesced
__global__ void sums(const float* in, float* out) {
    float sum = in[blockIdx.x * 32 + threadIdx.x];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

int main() {
    const int n = 1 << 16;
    float *in, *out;
    cudaMalloc(&in, 4 * n);
    cudaMalloc(&out, n / 8);
    cudaMemset(in, 0, 4 * n);
    sums<<<n / 32, 32>>>(in, out);
    return cudaDeviceSynchronize();
}
