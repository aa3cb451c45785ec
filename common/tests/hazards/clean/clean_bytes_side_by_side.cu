// kind: clean
// hazard: none: threads of several blocks write bytes of one word
// flags: --check-hazards
// exit: 0
// expect-not: hazard
__global__ void fill(unsigned char* out) {
    out[threadIdx.x * gridDim.x + blockIdx.x] = threadIdx.x;
}
int main() {
    unsigned char* out;
    cudaMalloc(&out, 256);
    fill<<<4, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
