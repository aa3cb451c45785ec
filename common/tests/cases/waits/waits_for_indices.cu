// The kernel has no shared memory: warps wait until threadIdx and blockIdx have been read.
// expect: special registers
// expect-not: shared memory
__global__ void fill(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main() {
    int* out;
    cudaMalloc(&out, 1 << 22);
    fill<<<4096, 256>>>(out);
    return cudaDeviceSynchronize();
}
