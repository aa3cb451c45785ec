// An index of 32 bits overflows: 46341 * 46341 is 2,147,488,281, as an int -2,147,479,015.
// expect: reads 1 byte 2147479015 bytes before an allocation of 2147534622 bytes (an index of 32 bits that overflowed?)
// expect-not: host pointer
// exit: 1
__global__ void read(const char* in, int pitch, int row, int* out) {
    int i = row * pitch + threadIdx.x;
    out[threadIdx.x] = in[i];
}

int main() {
    char* in;
    int* out;
    cudaMalloc(&in, 46341ull * 46342);
    cudaMalloc(&out, 128);
    read<<<1, 32>>>(in, 46341, 46341, out);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 2;
}
