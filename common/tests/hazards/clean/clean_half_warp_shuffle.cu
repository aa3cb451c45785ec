// kind: clean
// hazard: none: half a warp shuffles under its own mask
// flags: --check-hazards
// exit: 0
// expect-not: hazard
__global__ void sum(const int* in, int* out) {
    if (threadIdx.x >= 16) return;
    int mine = in[threadIdx.x];
    for (int step = 8; step > 0; step /= 2) mine += __shfl_down_sync(0xffff, mine, step, 16);
    if (threadIdx.x == 0) *out = mine;
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
