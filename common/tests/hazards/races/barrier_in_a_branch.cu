// kind: synchronisation
// hazard: threads beyond n skip the barrier of the others
// flags: --check-hazards
// exit: 1
// expect: barrier that not all threads reach
__global__ void shift(int* out, int n) {
    __shared__ int words[65];
    words[threadIdx.x + 1] = threadIdx.x;
    if (threadIdx.x == 0) words[0] = 0;
    if (threadIdx.x < n) {
        __syncthreads();
        out[threadIdx.x] = words[threadIdx.x];
    }
}
int main() {
    int* out;
    cudaMalloc(&out, 256);
    shift<<<1, 64>>>(out, 40);
    cudaDeviceSynchronize();
    cudaFree(out);
}
