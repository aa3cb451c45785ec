// No measured and no printed time of a V100 was compared with a predicted one, so the error of its predicted time is not known.
// flags: --architecture v100
// expect: (Volta: not validated)
__global__ void fill(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main() {
    int* out;
    cudaMalloc(&out, 1 << 22);
    fill<<<4096, 256>>>(out);
    return cudaDeviceSynchronize();
}
