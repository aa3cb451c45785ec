// A load beyond its array, by a function of a header of CUDA: the line that is at fault is this file's.
// expect: lines_of_faults.cu:9
// expect-not: .hpp
// exit: 1

__global__ void copy(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // n elements too far.
    out[i] = __ldcg(in + i + n);
}

int main() {
    const int n = 1 << 10;
    float *in, *out;
    cudaMalloc(&in, 4 * n);
    cudaMalloc(&out, 4 * n);
    copy<<<n / 256, 256>>>(in, out, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
