// Writes past the end of one cudaMalloc, within the GPU's granule of 512 bytes: a GPU reports no error.
// flags: --keep-going
// expect: no error
// expect: ! hazard: kernel fill(float*), block (0,0,0), thread (100,0,0): write_past_end.cu:
// expect: writes 4 bytes 4 bytes past the end of an allocation of 400 bytes
// exit: 1
#include <cstdio>
__global__ void fill(float* a) { a[threadIdx.x] = 1; }
int main() {
    float* a;
    cudaMalloc(&a, 100 * sizeof(float));
    fill<<<1, 128>>>(a);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
