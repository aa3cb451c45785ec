// kind: race
// hazard: threads of a block exchange values through global memory without a barrier
// flags: --check-hazards
// exit: 1
// expect: reverse
__global__ void reverse(int* scratch, int* out) {
    scratch[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];
}
int main() {
    int *scratch, *out;
    cudaMalloc(&scratch, 1024);
    cudaMalloc(&out, 1024);
    cudaMemset(scratch, 0, 1024);
    reverse<<<1, 256>>>(scratch, out);
    cudaDeviceSynchronize();
    cudaFree(scratch);
    cudaFree(out);
}
