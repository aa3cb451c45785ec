// The left neighbour of the first element.
// expect: reads 4 bytes 4 bytes before an allocation of 1024 bytes
// expect-not: overflowed
// exit: 1
__global__ void difference(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] - in[i - 1];
}

int main() {
    float *in, *out;
    cudaMalloc(&in, 1024);
    cudaMalloc(&out, 1024);
    difference<<<1, 256>>>(in, out);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 2;
}
