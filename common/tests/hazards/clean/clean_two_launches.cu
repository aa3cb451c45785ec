// kind: clean
// hazard: none: the second launch updates in place what the first one wrote
// flags: --check-hazards
// exit: 0
// expect-not: hazard
__global__ void first(int* a) { a[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
__global__ void second(int* a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[n - 1 - i] = a[n - 1 - i] + 1;
}
int main() {
    int* a;
    cudaMalloc(&a, 4096);
    first<<<4, 256>>>(a);
    second<<<4, 256>>>(a, 1024);
    cudaDeviceSynchronize();
    cudaFree(a);
}
