// kind: race
// hazard: an array is shifted in place: a block reads what its neighbour writes
// flags: --check-hazards
// exit: 1
// expect: shift
__global__ void shift(float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) a[i] = a[i + 1];
}
int main() {
    float* a;
    cudaMalloc(&a, 4096);
    cudaMemset(a, 0, 4096);
    shift<<<8, 128>>>(a, 1024);
    cudaDeviceSynchronize();
    cudaFree(a);
}
