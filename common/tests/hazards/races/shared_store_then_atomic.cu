// kind: race
// hazard: thread 0 clears a counter in shared memory, and all count without a barrier
// flags: --check-hazards
// exit: 1
// expect: count
__global__ void count(int* out) {
    __shared__ int counter;
    if (threadIdx.x == 0) counter = 0;
    atomicAdd(&counter, 1);
    __syncthreads();
    if (threadIdx.x == 0) *out = counter;
}
int main() {
    int* out;
    cudaMalloc(&out, 4);
    count<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
