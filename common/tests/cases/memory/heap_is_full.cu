// malloc() in a kernel gives null where the heap of 8 MiB is full, and the program does not look.
// expect: note: kernel build(int**): malloc(65536) returns null: the heap of 8388608 bytes is full (cudaDeviceSetLimit(cudaLimitMallocHeapSize) enlarges it)
// expect: heap_is_full.cu:9 writes 4 bytes at address 0: a null pointer
// exit: 1
__global__ void build(int** lists) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int* const list = static_cast<int*>(malloc(65536));
    lists[i] = list;
    *list = i;
}

int main() {
    int** lists;
    cudaMalloc(&lists, 512 * sizeof(int*));
    build<<<2, 256>>>(lists);
    cudaDeviceSynchronize();
    cudaFree(lists);
}
