// kind: memory
// hazard: two allocations are never freed
// flags: --check-hazards --check-leaks
// exit: 1
// expect: never freed
// expect: 768 bytes
__global__ void fill(int* a) { a[threadIdx.x] = 1; }
int main() {
    int *a, *b;
    cudaMalloc(&a, 256);
    cudaMalloc(&b, 512);
    fill<<<1, 64>>>(a);
    cudaDeviceSynchronize();
}
