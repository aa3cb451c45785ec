// kind: race
// hazard: a pipeline waits for all but two groups where it needs all but one
// flags: --check-hazards
// exit: 1
// expect: asynchronous copy
#include <cuda_pipeline.h>
__global__ void sum(const float4* in, float4* out) {
    __shared__ float4 buffer[2][128];
    const int t = threadIdx.x;
    for (int stage = 0; stage < 2; ++stage) {
        __pipeline_memcpy_async(&buffer[stage][t], &in[stage * 128 + t], 16);
        __pipeline_commit();
    }
    __pipeline_wait_prior(2);
    __syncthreads();
    float4 mine = buffer[0][t];
    __pipeline_wait_prior(0);
    __syncthreads();
    mine.x += buffer[1][t].x;
    out[t] = mine;
}
int main() {
    float4 *in, *out;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 2048);
    cudaMemset(in, 0, 4096);
    sum<<<1, 128>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
