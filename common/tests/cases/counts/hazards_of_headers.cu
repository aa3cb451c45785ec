// A hazard names the program's line, not that of CUDA's header which it calls: atomicMax, __pipeline_memcpy_async.
// flags: --check-hazards
// expect: hazards_of_headers.cu:13 writes byte 0 of an allocation of 4 bytes
// expect: thread (31,0,0) at hazards_of_headers.cu:19 has not waited for it (cp.async.wait_group)
// expect-not: atomic_functions.hpp
// expect-not: pipeline_helpers.h
// exit: 1
#include <cuda_pipeline.h>

// Another thread's atomic may come between the plain read and this one's.
__global__ void maximum(const int* in, int* best) {
    const int mine = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (mine > *best) atomicMax(best, mine);
}

__global__ void reverse(const float4* in, float4* out) {
    __shared__ float4 tile[64];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);  // the only group is the last one: 0 waits for it
    __syncthreads();
    out[t] = tile[63 - t];
}

int main() {
    int host[256], *in, *best;
    for (int i = 0; i < 256; ++i) host[i] = i;
    cudaMalloc(&in, 1024);
    cudaMalloc(&best, 4);
    cudaMemcpy(in, host, 1024, cudaMemcpyHostToDevice);
    cudaMemset(best, 0, 4);
    maximum<<<2, 128>>>(in, best);
    float4* out;
    cudaMalloc(&out, 1024);
    reverse<<<1, 64>>>(reinterpret_cast<const float4*>(in), out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(best);
    cudaFree(out);
}
