// kind: synchronisation
// hazard: half a warp shuffles under a mask of all lanes while the others go by
// flags: --check-hazards
// exit: 1
// expect: mask
__global__ void sum(const int* in, int* out) {
    int mine = in[threadIdx.x];
    if (threadIdx.x < 16) {
        for (int step = 8; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffff, mine, step);
        if (threadIdx.x == 0) *out = mine;
    }
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 128);
    cudaMalloc(&out, 4);
    cudaMemset(in, 0, 128);
    sum<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
