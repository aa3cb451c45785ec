// A scan by shuffles, without shared memory.
// expect: shuffles
// expect-not: shared memory
__global__ void scan(int* values) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = values[i];
    for (int round = 0; round < 20; ++round) {
        for (int step = 1; step < 32; step *= 2) {
            const int other = __shfl_up_sync(0xffffffffu, sum, step);
            if (threadIdx.x % 32 >= step) sum += other;
        }
    }
    values[i] = sum;
}

int main() {
    const int n = 1 << 14;
    int* values;
    cudaMalloc(&values, 4 * n);
    cudaMemset(values, 0, 4 * n);
    scan<<<n / 256, 256>>>(values);
    return cudaDeviceSynchronize();
}
