// Functions of a library that call each other: what they do belongs to the program's line that called the first.
// expect: lines_of_a_library.cu:15
// expect-not: .cuh:
// expect-not: .hpp:
// expect-not: .h:
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__global__ void sums(const int* in, int* out) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int step = 0; step < 100; ++step) sum += cg::exclusive_scan(warp, in[i] + sum);
    out[i] = sum;
}

int main() {
    const int n = 1 << 12;
    int *in, *out;
    cudaMalloc(&in, 4 * n);
    cudaMalloc(&out, 4 * n);
    cudaMemset(in, 0, 4 * n);
    sums<<<n / 256, 256>>>(in, out);
    return cudaDeviceSynchronize();
}
