// Two sums of a block one behind another that reuse one array without a barrier between the reads of the first and the
// writes of the second: a race, but on a GPU all warps read before the first one writes.
// expect: 0 wrong (first sums 128 128 128 128, second 256 256)
// expect: note: results depend on the order of warps: kernel twice(float const*, float*), block (0,0,0)
// expect: --check-hazards names all such places
// again: with the check, the second sum's first store meets the loads of the first sum
// flags: --check-hazards
// expect: 0 wrong
// expect: ! hazard: kernel twice(float const*, float*), block (0,0,0)
// expect: which other threads at reduce_twice_race.cu:26 read, with no barrier between them
// expect-not: note: results depend
// exit: 1
#include <cstdio>
__device__ float blockSum(float v) {
    __shared__ float s[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    if (lane == 0) s[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < blockDim.x / 32 ? s[lane] : 0;
        for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
        if (lane == 0) s[0] = v;
    }
    __syncthreads();
    return s[0];
}
__global__ void twice(const float* in, float* out) {
    float a = blockSum(in[threadIdx.x]);
    float b = blockSum(in[threadIdx.x] * 2);
    out[threadIdx.x] = a;
    out[128 + threadIdx.x] = b;
}
int main() {
    float *in, *out;
    cudaMallocManaged(&in, 512);
    cudaMallocManaged(&out, 1024);
    for (int i = 0; i < 128; ++i) in[i] = 1;
    twice<<<1, 128>>>(in, out);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < 128; ++i) wrong += out[i] != 128 || out[128 + i] != 256;
    printf("%d wrong (first sums %g %g %g %g, second %g %g)\n", wrong, out[0], out[32], out[64],
           out[96], out[128], out[224]);
    return wrong != 0;
}
