// The launch forgets the bytes of dynamic shared memory.
// expect: shared_memory_not_asked_for.cu:6 writes 4 bytes at byte 0 of the block's 0 bytes of shared memory (the launch asks for none: <<<grid, block, bytes>>>)
// exit: 1
__global__ void reverse(int* a) {
    extern __shared__ int s[];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

int main() {
    int* a;
    cudaMalloc(&a, 1024);
    cudaMemset(a, 0, 1024);
    reverse<<<1, 256>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}
