// kind: clean
// hazard: none: asynchronous copies into two buffers, each waited for before it is read
// flags: --check-hazards
// exit: 0
// expect-not: hazard
#include <cuda_pipeline.h>
__global__ void sum(const float4* in, float4* out, int rounds) {
    __shared__ float4 buffer[2][128];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&buffer[0][t], &in[t], 16);
    __pipeline_commit();
    float4 total = {0, 0, 0, 0};
    for (int round = 0; round < rounds; ++round) {
        if (round + 1 < rounds)
            __pipeline_memcpy_async(&buffer[(round + 1) % 2][t], &in[(round + 1) * 128 + t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        const float4 other = buffer[round % 2][127 - t];
        total.x += other.x;
        total.y += other.y;
        total.z += other.z;
        total.w += other.w;
        __syncthreads();
    }
    out[t] = total;
}
int main() {
    float4 *in, *out;
    cudaMalloc(&in, 8 * 2048);
    cudaMalloc(&out, 2048);
    cudaMemset(in, 0, 8 * 2048);
    sum<<<1, 128>>>(in, out, 8);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
