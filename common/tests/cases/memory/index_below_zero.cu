// The left neighbour of the first element: with an int index 4 bytes before the array, with an unsigned one 2^32 - 1
// elements behind its begin, which is 17,179,869,184 - 1,024 bytes past its end.
// expect: reads 4 bytes 17179868156 bytes past the end of an allocation of 1024 bytes (an index of 32 bits that overflowed?)
// exit: 1
__global__ void difference(const float* in, float* out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] - in[i - 1];
}

int main() {
    float *in, *out;
    cudaMalloc(&in, 1024);
    cudaMalloc(&out, 1024);
    difference<<<1, 256>>>(in, out);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 2;
}
