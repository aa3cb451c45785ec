// kind: memory
// hazard: a kernel writes 28 elements past the end of its array
// flags: --check-hazards
// exit: 1
// expect: writes 4 bytes at byte 400 of an allocation of 400 bytes
// again: on a GPU, which maps whole pages, the launch goes on
// flags: --keep-going
// exit: 1
// expect: 1 launch of 1 kernel
// expect: ! hazard: kernel fill(float*), block (0,0,0), thread (100,0,0): write_past_end.cu:
// expect: writes 4 bytes at byte 400 of an allocation of 400 bytes
__global__ void fill(float* a) { a[threadIdx.x] = 1; }
int main() {
    float* a;
    cudaMalloc(&a, 100 * sizeof(float));
    fill<<<1, 128>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}
