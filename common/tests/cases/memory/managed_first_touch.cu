// Managed memory written by the host, then two launches. On an H200 the first one takes milliseconds (chapter 20: 56 ms
// for 432 MiB, 7.2 ms for 48 MiB), the second one 52 us.
// expect: scale: 2 launches of grid 65,536, block 256
// expect: note: page faults and migration are not in the predicted time: 64 MiB of managed memory
// expect: cudaMemPrefetchAsync before the launch avoids it
// expect-not: takes some 52
__global__ void scale(float* values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= 2;
}

int main() {
    int n = 1 << 24;
    float* values;
    cudaMallocManaged(&values, n * sizeof(float));
    for (int i = 0; i < n; i++) values[i] = 1;
    for (int launch = 0; launch < 2; launch++) {
        scale<<<n / 256, 256>>>(values, n);
        cudaDeviceSynchronize();
    }
    bool right = values[n - 1] == 4;
    cudaFree(values);
    return right ? 0 : 1;
}
