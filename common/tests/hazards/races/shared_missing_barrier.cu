// kind: race
// hazard: a tile in shared memory is read before its barrier
// flags: --check-hazards
// exit: 1
// expect: no barrier between them
__global__ void reverse(const int* in, int* out) {
    __shared__ int tile[128];
    tile[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = tile[127 - threadIdx.x];
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 512);
    cudaMalloc(&out, 512);
    cudaMemset(in, 0, 512);
    reverse<<<1, 128>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
