// 64 KiB of dynamic shared memory, beside 16 bytes of static one, without the attribute that opts in.
// expect: ! refused launch: kernel reverse<int>, 65552 bytes of shared memory (16 static, 65536 dynamic), at most 49152; up to 232448 with cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize) (invalid argument)
// expect: the program did not check
// exit: 1
template <class T>
__global__ void reverse(T* values) {
    extern __shared__ int tile[];
    __shared__ int count[4];
    count[threadIdx.x % 4] = 0;
    tile[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x] + count[0];
}

int main() {
    int* values;
    cudaMalloc(&values, 1024);
    reverse<<<1, 256, 64 << 10>>>(values);
    cudaDeviceSynchronize();
    cudaFree(values);
}
