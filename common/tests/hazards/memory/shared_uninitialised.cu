// kind: uninitialised
// hazard: one element of shared memory is read and never written
// flags: --check-hazards
// exit: 1
// expect: uninitialised shared memory
__global__ void neighbours(int* out) {
    __shared__ int words[65];
    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x + 1];
}
int main() {
    int* out;
    cudaMalloc(&out, 256);
    neighbours<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
