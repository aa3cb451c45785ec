// A chain of texture fetches: warps wait for the texture, not for global memory.
// expect: textures
// expect-not: global memory
__global__ void walk(cudaTextureObject_t texture, int* out) {
    int at = static_cast<int>(threadIdx.x);
    for (int step = 0; step < 200; ++step) at = (tex1Dfetch<int>(texture, at) + at + 1) % 256;
    out[threadIdx.x] = at;
}

int main() {
    int *values, *out;
    cudaMalloc(&values, 4 * 256);
    cudaMalloc(&out, 4 * 256);
    cudaMemset(values, 0, 4 * 256);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = values;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = 4 * 256;
    cudaTextureDesc description{};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    walk<<<1, 256>>>(texture, out);
    return cudaDeviceSynchronize();
}
