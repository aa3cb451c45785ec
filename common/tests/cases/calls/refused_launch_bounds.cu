// More threads than the kernel was compiled for; three times.
// expect: ! refused launch: kernel clear, block 256 = 256 threads, at most 128 by its __launch_bounds__ (invalid argument), refused_launch_bounds.cu:9; the program did not check (3 times)
// exit: 1
__global__ void __launch_bounds__(128) clear(float* values) { values[threadIdx.x] = 0; }

int main() {
    float* values;
    cudaMalloc(&values, 1024);
    for (int i = 0; i < 3; i++) clear<<<1, 256>>>(values);
    cudaFree(values);
}
