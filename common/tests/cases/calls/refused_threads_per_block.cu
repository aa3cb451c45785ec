// A launch that the runtime refuses, unchecked: 64 x 64 threads a block. compute-sanitizer: Program hit
// cudaErrorInvalidConfiguration (error 9) due to "invalid configuration argument" on CUDA API call to cudaLaunchKernel.
// expect: ! refused launch: kernel fill, block 64 x 64 = 4096 threads, at most 1024 (invalid configuration argument), refused_threads_per_block.cu:12; the program did not check
// expect: no launch was completed
// exit: 1
__global__ void fill(float* out) { out[threadIdx.y * blockDim.x + threadIdx.x] = 1; }

int main() {
    float* out;
    cudaMalloc(&out, 16384);
    const dim3 block(64, 64);
    fill<<<1, block>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
