// kind: uninitialised
// hazard: memory that nothing has written is copied on the device, then to the host
// flags: --check-hazards
// exit: 1
// expect: cudaMemcpy
int main() {
    float *a, *b, host[64];
    cudaMalloc(&a, 256);
    cudaMalloc(&b, 256);
    cudaMemcpy(b, a, 256, cudaMemcpyDeviceToDevice);
    cudaMemcpy(host, b, 256, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
}
