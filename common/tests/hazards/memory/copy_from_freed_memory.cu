// kind: memory
// hazard: memory that was freed is copied to the host
// flags: --check-hazards
// exit: 1
// expect: freed
#include <cstdio>
int main() {
    int *a, host[64];
    cudaMalloc(&a, 256);
    cudaMemset(a, 0, 256);
    cudaFree(a);
    printf("%s\n", cudaGetErrorString(cudaMemcpy(host, a, 256, cudaMemcpyDeviceToHost)));
}
