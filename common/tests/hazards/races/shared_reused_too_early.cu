// kind: race
// hazard: a second sum overwrites what slower warps still read of the first one
// flags: --check-hazards
// exit: 1
// expect: no barrier between them
__device__ int block_sum(int mine) {
    __shared__ int sums[4];
    for (int step = 16; step > 0; step /= 2) mine += __shfl_xor_sync(~0u, mine, step);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = mine;
    __syncthreads();
    return sums[0] + sums[1] + sums[2] + sums[3];
}
__global__ void twice(const int* in, int* out) {
    const int first = block_sum(in[threadIdx.x]);
    out[threadIdx.x] = first + block_sum(2 * in[threadIdx.x]);
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 512);
    cudaMalloc(&out, 512);
    cudaMemset(in, 0, 512);
    twice<<<1, 128>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
