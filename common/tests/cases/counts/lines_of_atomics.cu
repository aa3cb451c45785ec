// Atomics are functions of a header of CUDA: advice names the program's lines, never the header's.
// expect: line 15: bank conflicts
// expect: line 18: uncoalesced atomic
// expect: chapter 15
// expect-not: line 107
// expect-not: .hpp
#include <cstdlib>

__global__ void histogram(const unsigned char* in, int* out, int n) {
    __shared__ int bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int bin = in[i];
        atomicAdd(&bins[bin], 1);
    }
    __syncthreads();
    atomicAdd(&out[in[blockIdx.x * 256 + threadIdx.x]], bins[threadIdx.x]);
}

int main() {
    const int n = 1 << 18;
    unsigned char *values = new unsigned char[n], *in;
    int* out;
    for (int i = 0; i < n; ++i) values[i] = static_cast<unsigned char>(rand());
    cudaMalloc(&in, n);
    cudaMalloc(&out, 1024);
    cudaMemset(out, 0, 1024);
    cudaMemcpy(in, values, n, cudaMemcpyHostToDevice);
    delete[] values;
    histogram<<<64, 256>>>(in, out, n);
    return cudaDeviceSynchronize();
}
