// kind: memory
// hazard: a kernel writes 28 elements past the end of its array
// flags: --check-hazards
// exit: 1
// expect: past the end
__global__ void fill(float* a) { a[threadIdx.x] = 1; }
int main() {
    float* a;
    cudaMalloc(&a, 100 * sizeof(float));
    fill<<<1, 128>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}
