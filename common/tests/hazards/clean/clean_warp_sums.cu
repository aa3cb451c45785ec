// kind: clean
// hazard: none: sums of warps in shared memory with __syncwarp
// flags: --check-hazards
// exit: 0
// expect-not: hazard
__global__ void sum(const int* in, int* out) {
    __shared__ int words[256];
    const int t = threadIdx.x, lane = t % 32;
    words[t] = in[blockIdx.x * 256 + t];
    __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
        const int other = lane < step ? words[t + step] : 0;
        __syncwarp();
        if (lane < step) words[t] += other;
        __syncwarp();
    }
    if (lane == 0) out[blockIdx.x * 8 + t / 32] = words[t];
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 128);
    cudaMemset(in, 0, 4096);
    sum<<<4, 256>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
