// kind: race
// hazard: asynchronous copies of other threads are read without a barrier behind their waits
// flags: --check-hazards
// exit: 1
// expect: no barrier between them
#include <cuda_pipeline.h>
__global__ void reverse(const float4* in, float4* out) {
    __shared__ float4 tile[128];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], 16);
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    out[t] = tile[127 - t];
}
int main() {
    float4 *in, *out;
    cudaMalloc(&in, 2048);
    cudaMalloc(&out, 2048);
    cudaMemset(in, 0, 2048);
    reverse<<<1, 128>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
