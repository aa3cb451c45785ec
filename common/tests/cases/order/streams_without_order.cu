// One stream reads what another one writes, and nothing makes it wait. An event that it waits for, the default stream
// between them and the host's wait order them; halves of one array are no race, wherever they meet.
// flags: --check-hazards
// expect: ! hazard: kernel consume(int const*, int*) accesses byte
// expect: of an allocation of 4004 bytes, which kernel produce(int*) writes in another stream, and neither waits for the other (cudaStreamWaitEvent), streams_without_order.cu:29
// expect-not: kernel half
// expect-not: (2 times)
// exit: 1
__global__ void produce(int* a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void consume(const int* a, int* b) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i] + 1;
}
__global__ void half(int* a, int begin, int end) {
    for (int i = begin + threadIdx.x; i < end; i += blockDim.x) a[i] = i;
}
__global__ void nothing() {}

int main() {
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaEvent_t produced;
    cudaEventCreate(&produced);
    int *a, *b;
    cudaMalloc(&a, 4004);
    cudaMalloc(&b, 4004);
    produce<<<4, 250, 0, one>>>(a);
    consume<<<4, 250, 0, two>>>(a, b);
    cudaDeviceSynchronize();

    produce<<<4, 250, 0, one>>>(a);
    cudaEventRecord(produced, one);
    cudaStreamWaitEvent(two, produced);
    consume<<<4, 250, 0, two>>>(a, b);
    nothing<<<1, 1>>>();
    produce<<<4, 250, 0, one>>>(a);
    cudaStreamSynchronize(one);
    consume<<<4, 250, 0, two>>>(a, b);
    cudaDeviceSynchronize();

    half<<<1, 128, 0, one>>>(a, 0, 501);
    half<<<1, 128, 0, two>>>(a, 501, 1001);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
}
