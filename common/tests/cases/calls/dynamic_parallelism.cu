// nvcc: -rdc=true
// expect: launches kernels from the GPU (dynamic parallelism), which the emulated GPU cannot execute
// expect-not: cudaCDP2
// exit: 1
__global__ void child(int* a) { a[threadIdx.x] = 1; }
__global__ void parent(int* a) { child<<<1, 32>>>(a); }

int main() {
    int* a;
    cudaMalloc(&a, 128);
    parent<<<1, 1>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}
