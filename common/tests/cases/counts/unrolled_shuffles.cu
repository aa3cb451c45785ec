// One shuffle in a loop that the compiler unrolls is one hazard. A vote under a mask that names lanes which have left is
// none: it waits for those that are there.
// flags: --check-hazards
// expect: ! hazard: kernel sum(int const*, int*, int), block (0,0,0), thread (0,0,0): unrolled_shuffles.cu:11 has a mask that names lane 20, which does not execute it
// expect-not: unrolled_shuffles.cu:11 has a mask that names lane 20, which does not execute it ! hazard
// expect-not: kernel count
// exit: 1
__global__ void sum(const int* in, int* out, int n) {
    if (threadIdx.x >= n) return;
    int mine = in[threadIdx.x];
    for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffff, mine, step);
    if (threadIdx.x == 0) *out = mine;
}

__global__ void count(const int* in, int* out, int n) {
    if (threadIdx.x >= n) return;
    const unsigned votes = __ballot_sync(0xffffffff, in[threadIdx.x] > 0);
    if (threadIdx.x == 0) *out = __popc(votes);
}

int main() {
    int *in, *out;
    cudaMalloc(&in, 128);
    cudaMalloc(&out, 4);
    cudaMemset(in, 0, 128);
    sum<<<1, 32>>>(in, out, 20);
    count<<<1, 32>>>(in, out, 20);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
