// kind: clean
// hazard: none: one block waits for a volatile flag of another one
// flags: --check-hazards
// exit: 0
// expect-not: hazard
__device__ volatile int ready;
__device__ int data[64];
__global__ void hand_over(int* out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) ready = 1;
    } else {
        if (threadIdx.x == 0) {
            while (ready == 0) {
            }
        }
        __syncthreads();
        __threadfence();
        out[threadIdx.x] = data[63 - threadIdx.x];
    }
}
int main() {
    int* out;
    cudaMalloc(&out, 256);
    hand_over<<<2, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
