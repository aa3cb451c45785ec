// kind: memory
// hazard: a kernel writes to memory that was freed just before
// flags: --check-hazards
// exit: 1
// expect: writes 4 bytes of an allocation of 256 bytes that was freed
// again: a GPU may not notice it; the emulated one does without the option
// exit: 1
// expect: writes 4 bytes of an allocation of 256 bytes that was freed
__global__ void fill(int* a) { a[threadIdx.x] = 1; }
int main() {
    int* a;
    cudaMalloc(&a, 256);
    cudaFree(a);
    fill<<<1, 64>>>(a);
    cudaDeviceSynchronize();
}
