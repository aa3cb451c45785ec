// kind: race
// hazard: one block sets a counter that the others update by atomics
// flags: --check-hazards
// exit: 1
// expect: reset_and_count
__global__ void reset_and_count(int* counter) {
    if (blockIdx.x == 0 && threadIdx.x == 0) *counter = 0;
    atomicAdd(counter, 1);
}
int main() {
    int* counter;
    cudaMalloc(&counter, 4);
    cudaMemset(counter, 0, 4);
    reset_and_count<<<4, 64>>>(counter);
    cudaDeviceSynchronize();
    cudaFree(counter);
}
