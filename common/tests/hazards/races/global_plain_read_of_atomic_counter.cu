// kind: race
// hazard: a counter is updated by atomics and read plainly in the same launch
// flags: --check-hazards
// exit: 1
// expect: count
__global__ void count(const int* in, int* counter, int* seen) {
    if (in[blockIdx.x * blockDim.x + threadIdx.x] > 0) atomicAdd(counter, 1);
    seen[blockIdx.x * blockDim.x + threadIdx.x] = *counter;
}
int main() {
    int *in, *counter, *seen;
    cudaMalloc(&in, 4096);
    cudaMalloc(&counter, 4);
    cudaMalloc(&seen, 4096);
    cudaMemset(in, 1, 4096);
    cudaMemset(counter, 0, 4);
    count<<<4, 256>>>(in, counter, seen);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(counter);
    cudaFree(seen);
}
