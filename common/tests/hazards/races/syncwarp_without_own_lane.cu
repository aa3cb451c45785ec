// kind: synchronisation
// hazard: lanes call __syncwarp with a mask that leaves them out
// flags: --check-hazards
// exit: 1
// expect: mask
__global__ void half(int* out) {
    __shared__ int words[32];
    words[threadIdx.x] = threadIdx.x;
    __syncwarp(0xffff);
    out[threadIdx.x] = words[threadIdx.x];
}
int main() {
    int* out;
    cudaMalloc(&out, 128);
    half<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
