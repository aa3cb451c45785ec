// An array of a thread is indexed at run time; nothing is spilled.
// expect: indexed at run time
// expect-not: spilled
__global__ void histogram(const unsigned char* in, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int bins[16] = {};
    for (int k = 0; k < 64; ++k) ++bins[in[64 * i + k] % 16];
    int highest = 0;
    for (int bin = 0; bin < 16; ++bin) highest = max(highest, bins[bin]);
    out[i] = highest;
}

int main() {
    const int n = 1 << 12;
    unsigned char* in;
    int* out;
    cudaMalloc(&in, 64 * n);
    cudaMalloc(&out, 4 * n);
    cudaMemset(in, 5, 64 * n);
    histogram<<<n / 256, 256>>>(in, out);
    return cudaDeviceSynchronize();
}
