// Nothing sets the accumulator to zero. An atomic exchange whose result is not used does.
// flags: --check-hazards
// expect: ! hazard: kernel total(int const*, int*), block (0,0,0), thread (0,0,0): shared_accumulator.cu:8 reads uninitialised shared memory: sum
// expect-not: kernel total_from_zero
// exit: 1
__global__ void total(const int* in, int* out) {
    __shared__ int sum;
    atomicAdd(&sum, in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) *out = sum;
}

__global__ void total_from_zero(const int* in, int* out) {
    __shared__ int sum;
    if (threadIdx.x == 0) atomicExch(&sum, 0);
    __syncthreads();
    atomicAdd(&sum, in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) *out = sum;
}

int main() {
    int *in, *out;
    cudaMalloc(&in, 256);
    cudaMalloc(&out, 4);
    cudaMemset(in, 0, 256);
    total<<<1, 64>>>(in, out);
    total_from_zero<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
