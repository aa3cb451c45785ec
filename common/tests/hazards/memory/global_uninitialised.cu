// kind: uninitialised
// hazard: a kernel reads an array that nothing has written
// flags: --check-hazards
// exit: 1
// expect: uninitialised memory
__global__ void scale(const float* in, float* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }
int main() {
    float *in, *out;
    cudaMalloc(&in, 256);
    cudaMalloc(&out, 256);
    scale<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
