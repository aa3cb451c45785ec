// kind: clean
// hazard: none: the last block reads partial sums behind fences and an atomic
// flags: --check-hazards
// exit: 0
// expect-not: hazard
__device__ unsigned finished;
__global__ void sum(const float* in, float* partial, float* total) {
    __shared__ bool is_last;
    float mine = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(~0u, mine, step);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = mine;
        __threadfence();
        is_last = atomicAdd(&finished, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    float sum = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += partial[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x == 0) *total = sum;
}
int main() {
    float *in, *partial, *total;
    cudaMalloc(&in, 64 * 32 * 4);
    cudaMalloc(&partial, 64 * 4);
    cudaMalloc(&total, 4);
    cudaMemset(in, 0, 64 * 32 * 4);
    sum<<<64, 32>>>(in, partial, total);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(partial);
    cudaFree(total);
}
