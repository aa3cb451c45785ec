// The kernel works on page-locked memory of the host, over PCIe; the model takes it for the GPU's own.
// expect: note: accesses over PCIe are not in the predicted time: 4 MiB of page-locked host memory
__global__ void scale(float* a) { a[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }

int main() {
    float *host, *device;
    cudaHostAlloc(&host, 4 << 20, cudaHostAllocMapped);
    cudaHostGetDevicePointer(&device, host, 0);
    scale<<<4096, 256>>>(device);
    cudaDeviceSynchronize();
    cudaFreeHost(host);
}
