// kind: clean
// hazard: none: all threads that find something set one flag to 1
// flags: --check-hazards
// exit: 0
// expect-not: hazard
__global__ void find(const int* in, int* found, int wanted) {
    if (in[blockIdx.x * blockDim.x + threadIdx.x] == wanted) *found = 1;
}
int main() {
    int *in, *found;
    cudaMalloc(&in, 4096);
    cudaMalloc(&found, 4);
    cudaMemset(in, 0, 4096);
    cudaMemset(found, 0, 4);
    find<<<4, 256>>>(in, found, 0);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(found);
}
