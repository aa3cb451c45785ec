// Managed memory that was prefetched is there when the kernel starts: nothing is missing in the predicted time.
// expect: predicted
// expect-not: page faults
__global__ void scale(float* values) { values[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }

int main() {
    const int n = 1 << 20;
    float* values;
    cudaMallocManaged(&values, n * sizeof(float));
    for (int i = 0; i < n; i++) values[i] = 1;
    cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0};
    if (cudaMemPrefetchAsync(values, n * sizeof(float), gpu, 0, 0) != cudaSuccess) return 1;
    scale<<<n / 256, 256>>>(values);
    cudaDeviceSynchronize();
    return cudaFree(values) != cudaSuccess;
}
