// Lanes look up different entries of a table in constant memory, which serves one address after another; a table that all
// lanes read at one place is served at once.
// expect: ! line 9: lanes read 32.0 different constants a request, one after another
// expect-not: ! line 15
__constant__ float table[256];

__global__ void look_up(const unsigned char* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[in[i]];
}

__global__ void sum_up(float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 256; ++k) sum += table[k];
    out[i] = sum;
}

int main() {
    static unsigned char host[65536];
    for (int i = 0; i < 65536; ++i) host[i] = i * 97;
    unsigned char* in;
    float* out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, 4 * sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    look_up<<<256, 256>>>(in, out);
    sum_up<<<256, 256>>>(out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
