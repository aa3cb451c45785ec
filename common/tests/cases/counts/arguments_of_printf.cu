// The arguments of printf lie in local memory; the program has no array.
// expect: 0 0.5
// expect: printf
// expect-not: : an array is indexed at run time
#include <cstdio>

__global__ void show(float* out) {
    out[threadIdx.x] = threadIdx.x + 0.5f;
    printf("%d %g\n", static_cast<int>(threadIdx.x), out[threadIdx.x]);
}

int main() {
    float* out;
    cudaMalloc(&out, 128);
    show<<<1, 32>>>(out);
    return cudaDeviceSynchronize();
}
