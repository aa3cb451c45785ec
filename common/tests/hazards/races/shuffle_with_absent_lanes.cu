// kind: synchronisation
// hazard: lanes beyond n have left, but the shuffle's mask names them
// flags: --check-hazards
// exit: 1
// expect: mask
__global__ void sum(const int* in, int* out, int n) {
    if (threadIdx.x >= n) return;
    int mine = in[threadIdx.x];
    for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffff, mine, step);
    if (threadIdx.x == 0) *out = mine;
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 128);
    cudaMalloc(&out, 4);
    cudaMemset(in, 0, 128);
    sum<<<1, 32>>>(in, out, 20);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
