// A program that tries a large block, sees that it fails and takes a smaller one: that is no failure.
// expect: 1 launch of 1 kernel
// expect: ! refused launch: kernel clear, block.x = 2048, at most 1024 (invalid configuration argument), refused_and_noticed.cu:10
// expect-not: the program did not check
__global__ void clear(float* values) { values[threadIdx.x] = 0; }

int main() {
    float* values;
    cudaMalloc(&values, 8192);
    clear<<<1, 2048>>>(values);
    if (cudaGetLastError() != cudaErrorInvalidConfiguration) return 2;
    clear<<<1, 1024>>>(values);
    return cudaFree(values);
}
