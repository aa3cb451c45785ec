// The barrier does not wait for cp.async: a GPU reads what was there before.
// flags: --check-hazards
// expect: accesses s while an asynchronous copy to it is under way
// expect: has not waited for it (cp.async.wait_group)
// exit: 1
#include <cuda_pipeline.h>
// wrong: the copy is not waited for (barrier alone does not wait for cp.async)
__global__ void k(const float4* a, float4* o) {
    __shared__ float4 s[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &a[t], 16);
    __pipeline_commit();
    __syncthreads();
    o[t] = s[127 - t];
    __pipeline_wait_prior(0);
}
int main() {
    float4 *a, *o;
    cudaMalloc(&a, 2048);
    cudaMalloc(&o, 2048);
    cudaMemset(a, 0, 2048);
    k<<<1, 128>>>(a, o);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(o);
}
