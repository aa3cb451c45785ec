// kind: uninitialised
// hazard: 8 of 64 floats that are copied to the host were never written
// flags: --check-hazards
// exit: 1
// expect: ! hazard: cudaMemcpy copies 32 bytes that nothing has written to the host, the first of them byte 224 of an allocation of 256 bytes, uninitialised_copy_back.cu:
__global__ void fill(float* out, int n) {
    if (threadIdx.x < n - 8) out[threadIdx.x] = threadIdx.x;
}
int main() {
    float *out, host[64];
    cudaMalloc(&out, 256);
    fill<<<1, 64>>>(out, 64);
    cudaMemcpy(host, out, 256, cudaMemcpyDeviceToHost);
    cudaFree(out);
}
