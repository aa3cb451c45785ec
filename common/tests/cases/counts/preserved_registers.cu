// A function that is not inlined preserves registers of its caller in local memory: neither an array nor a spill.
// expect-not: : an array is indexed at run time
__device__ __noinline__ float turn(float value, int depth) {
    if (depth == 0) return value;
    const float left = turn(value * 0.5f, depth - 1);
    return left + turn(value + left, depth - 1);
}

__global__ void walk(float* out) { out[threadIdx.x] = turn(threadIdx.x, 5); }

int main() {
    float* out;
    cudaMalloc(&out, 1024);
    walk<<<1, 256>>>(out);
    return cudaDeviceSynchronize();
}
