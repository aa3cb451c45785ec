// kind: clean
// hazard: none: a histogram by atomics in shared and in global memory
// flags: --check-hazards
// exit: 0
// expect-not: hazard
__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
int main() {
    unsigned char* in;
    unsigned* bins;
    cudaMalloc(&in, 1 << 16);
    cudaMalloc(&bins, 1024);
    cudaMemset(in, 7, 1 << 16);
    cudaMemset(bins, 0, 1024);
    histogram<<<16, 256>>>(in, 1 << 16, bins);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(bins);
}
