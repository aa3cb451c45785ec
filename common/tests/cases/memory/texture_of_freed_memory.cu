// A texture object lives on when its memory is freed; a kernel that reads through it is stopped.
// expect: texture_of_freed_memory.cu:7 uses a texture or surface object whose memory was freed
// exit: 1
#include <cstdio>

__global__ void copy(cudaTextureObject_t texture, float* out) {
    out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);
}

int main() {
    float *in, *out;
    cudaMalloc(&in, 1024);
    cudaMalloc(&out, 1024);
    cudaMemset(in, 0, 1024);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = in;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 1024;
    cudaTextureDesc how{};
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    cudaFree(in);
    copy<<<1, 256>>>(texture, out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
