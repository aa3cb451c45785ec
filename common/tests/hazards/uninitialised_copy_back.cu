// kind: uninitialised
// hazard: 8 of 64 floats that are copied to the host were never written
// flags: --check-hazards
// exit: 1
// expect: cudaMemcpy
// expect: 32 bytes
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
