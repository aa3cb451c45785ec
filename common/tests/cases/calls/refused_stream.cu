// A launch into a stream that was destroyed.
// expect: ! refused launch: kernel clear, in a stream that does not exist (invalid resource handle), refused_stream.cu:12; the program did not check
// exit: 1
__global__ void clear(float* values) { values[threadIdx.x] = 0; }

int main() {
    cudaStream_t stream;
    float* values;
    cudaStreamCreate(&stream);
    cudaMalloc(&values, 128);
    cudaStreamDestroy(stream);
    clear<<<1, 32, 0, stream>>>(values);
    cudaFree(values);
}
