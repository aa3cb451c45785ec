// kind: race
// hazard: data of an asynchronous copy are read before the copy is waited for
// flags: --check-hazards
// exit: 1
// expect: accesses tile while an asynchronous copy to it is under way
// expect: has not waited for it (cp.async.wait_group)
#include <cuda_pipeline.h>
__global__ void reverse(const float4* in, float4* out) {
    __shared__ float4 tile[128];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], 16);
    __pipeline_commit();
    __syncthreads();
    out[t] = tile[127 - t];
    __pipeline_wait_prior(0);
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
