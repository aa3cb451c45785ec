// A local array of 8 words is written at index 8. A GPU overwrites what the compiler has put behind it.
// expect: writes 4 bytes outside the thread's local memory, 32 bytes (a local array indexed beyond its end?)
// exit: 1
__global__ void largest_of_each_class(const int* values, int* out, int count, int classes) {
    int best[8];
    for (int i = 0; i <= classes; ++i) best[i] = -1;
    for (int i = 0; i < count; ++i) {
        const int j = values[i] % classes;
        if (values[i] > best[j]) best[j] = values[i];
    }
    int sum = 0;
    for (int i = 0; i < classes; ++i) sum += best[i];
    out[threadIdx.x] = sum;
}

int main() {
    int *values, *out;
    cudaMalloc(&values, 256);
    cudaMalloc(&out, 128);
    cudaMemset(values, 0, 256);
    largest_of_each_class<<<1, 32>>>(values, out, 64, 8);
    cudaDeviceSynchronize();
    cudaFree(values);
    cudaFree(out);
}
