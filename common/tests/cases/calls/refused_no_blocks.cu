// n / 256 blocks, and n is 100. The same kernel then runs with blocks enough.
// expect: 1 launch of 1 kernel
// expect: ! refused launch: kernel increment, grid.x = 0, at least 1 (invalid configuration argument), refused_no_blocks.cu:9; the program did not check
// exit: 1
__global__ void increment(int* values, int n) {
    if (threadIdx.x < n) values[threadIdx.x]++;
}

void run(int* values, int n, int blocks) { increment<<<blocks, 256>>>(values, n); }

int main() {
    int* values;
    cudaMalloc(&values, 400);
    cudaMemset(values, 0, 400);
    run(values, 100, 100 / 256);
    run(values, 100, 1);
    cudaFree(values);
}
