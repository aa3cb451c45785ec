// __ldcg is a function of a header of CUDA. What stands out of its load, and the warps that wait for it, are this line's.
// expect: line 9: 32.0 sectors a request, each 12.5 % used: the load is not coalesced
// expect: lines_of_loads.cu:9 global memory
// expect-not: .hpp
// expect-not: .h:

__global__ void strided(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __ldcg(in + 8 * i);
}

int main() {
    const int n = 1 << 16;
    float *in, *out;
    cudaMalloc(&in, 32 * n);
    cudaMalloc(&out, 4 * n);
    cudaMemset(in, 0, 32 * n);
    strided<<<n / 256, 256>>>(in, out);
    return cudaDeviceSynchronize();
}
