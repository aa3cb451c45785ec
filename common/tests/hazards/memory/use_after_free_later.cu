// kind: memory
// hazard: a kernel writes to memory that was freed, and allocated again for another array
// flags: --check-hazards
// exit: 1
// expect: freed
__global__ void fill(int* a) { a[threadIdx.x] = 1; }
int main() {
    int *a, *b;
    cudaMalloc(&a, 256);
    fill<<<1, 64>>>(a);
    cudaFree(a);
    cudaMalloc(&b, 256);
    fill<<<1, 64>>>(b);
    fill<<<1, 64>>>(a);
    cudaDeviceSynchronize();
    cudaFree(b);
}
