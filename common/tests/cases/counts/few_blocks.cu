// All launches are small: said once, not of each kernel.
// expect: ! no launch has a block for each of the 132 SMs: 2 at most. Divide the work into more blocks (chapter 08_block_size)
// expect-not: SMs without work
__global__ void fill(float* a) { a[threadIdx.x] = 1; }
__global__ void twice(float* a) { a[threadIdx.x] *= 2; }

int main() {
    float* a;
    cudaMalloc(&a, 512);
    fill<<<1, 128>>>(a);
    twice<<<2, 64>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}
