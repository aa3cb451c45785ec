// Each of these orders the streams: a blocking stream waits for the default one, which waits for it; work goes on in one
// stream; a third stream passes the order on.
// flags: --check-hazards
// expect: launches of
// expect-not: hazard
__global__ void produce(int* a) { a[threadIdx.x] = 1; }
__global__ void consume(const int* a, int* b) { b[threadIdx.x] = a[threadIdx.x] + 1; }

int main() {
    cudaStream_t one, two, three;
    cudaStreamCreate(&one);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&three, cudaStreamNonBlocking);
    cudaEvent_t first, second;
    cudaEventCreate(&first);
    cudaEventCreate(&second);
    int *a, *b;
    cudaMalloc(&a, 1024);
    cudaMalloc(&b, 1024);
    produce<<<1, 256>>>(a);
    consume<<<1, 256, 0, one>>>(a, b);
    produce<<<1, 256>>>(a);
    cudaMemsetAsync(b, 0, 1024, one);
    consume<<<1, 256, 0, one>>>(a, b);
    cudaEventRecord(first, one);
    cudaStreamWaitEvent(two, first);
    cudaEventRecord(second, two);
    cudaStreamWaitEvent(three, second);
    produce<<<1, 256, 0, three>>>(a);
    consume<<<1, 256, 0, three>>>(a, b);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
}
