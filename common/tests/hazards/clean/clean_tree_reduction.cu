// kind: clean
// hazard: none: a block's sum by a tree in shared memory, twice
// flags: --check-hazards
// exit: 0
// expect-not: hazard
// again: no note on the order of warps: between two barriers they never load and store the same words
// expect: 1 launch of 1 kernel
// expect-not: results depend
__device__ float block_sum(float* words, float mine) {
    words[threadIdx.x] = mine;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) words[threadIdx.x] += words[threadIdx.x + step];
        __syncthreads();
    }
    const float sum = words[0];
    __syncthreads();
    return sum;
}
__global__ void normalise(const float* in, float* out) {
    __shared__ float words[256];
    const float x = in[blockIdx.x * 256 + threadIdx.x];
    const float mean = block_sum(words, x) / 256;
    const float variance = block_sum(words, (x - mean) * (x - mean)) / 256;
    out[blockIdx.x * 256 + threadIdx.x] = (x - mean) * rsqrtf(variance + 1e-5f);
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    cudaMemset(in, 0, 4096);
    normalise<<<4, 256>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
