// Events are asked before the program has waited for them: cudaErrorNotReady on a GPU. Then after it, and one that was not
// recorded.
// expect: note: cudaEventElapsedTime is called before the program has waited for the event
// expect: ! failed call: cudaEventElapsedTime: the second event was not recorded (invalid resource handle), event_not_waited_for.cu:19; the program did not check
// exit: 1
__global__ void fill(float* a) { a[threadIdx.x] = 1; }

int main() {
    float *a, ms;
    cudaEvent_t begin, end, never;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventCreate(&never);
    cudaMalloc(&a, 1024);
    cudaEventRecord(begin);
    fill<<<1, 256>>>(a);
    cudaEventRecord(end);
    cudaEventElapsedTime(&ms, begin, end);
    cudaEventElapsedTime(&ms, begin, never);
    cudaFree(a);
}
