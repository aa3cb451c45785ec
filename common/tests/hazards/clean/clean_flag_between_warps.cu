// kind: clean
// hazard: none: one warp waits for a volatile flag of another one in shared memory
// flags: --check-hazards
// exit: 0
// expect-not: hazard
// again: no note on the order of warps: the flag orders them, though fences are not looked at then
// expect: 1 launch of 1 kernel
// expect-not: results depend
__global__ void hand_over(const int* in, int* out) {
    __shared__ volatile int ready;
    __shared__ int words[32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        words[lane] = in[lane];
        __threadfence_block();
        __syncwarp();
        if (lane == 0) ready = 1;
    } else {
        while (ready == 0) {
        }
        __threadfence_block();
        out[lane] = words[31 - lane];
    }
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 128);
    cudaMalloc(&out, 128);
    cudaMemset(in, 0, 128);
    hand_over<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
