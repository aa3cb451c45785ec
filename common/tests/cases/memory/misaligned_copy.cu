// A warp whose 128 bytes begin 44 bytes behind a multiple of 128 reads 5 sectors instead of 4: this is misaligned.
// expect: load of 5.0 sectors a request where 4.0 would do
// expect: chapter 02
// expect-not: the store is not coalesced
__global__ void copy(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + 11];
}

int main() {
    const int n = 1 << 16;
    float *in, *out;
    cudaMalloc(&in, 4 * (n + 11));
    cudaMalloc(&out, 4 * n);
    cudaMemset(in, 0, 4 * (n + 11));
    copy<<<n / 256, 256>>>(in, out);
    return cudaDeviceSynchronize();
}
