// No note where the program waits for the event, as any of these calls do.
// expect: 1 launch of 1 kernel
// expect-not: cudaEventElapsedTime is called
__global__ void fill(float* a) { a[threadIdx.x] = 1; }

int main() {
    float *a, ms;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaMalloc(&a, 1024);
    cudaEventRecord(begin);
    fill<<<1, 256>>>(a);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    cudaEventRecord(end);
    cudaDeviceSynchronize();
    cudaEventElapsedTime(&ms, begin, end);
    cudaFree(a);
}
