// The inner loop of a product by tiles of registers, on one SM: a step multiplies a column of so many values with a row of so
// many, from registers alone, or after these were loaded from shared memory, 4 bytes or 16 at a time. Prints a line each,
// `step,cycles`: of the slowest warp.
#include <algorithm>
#include <cstdio>
#include <string>

#include "../back_to_back.hpp"

namespace {

using back_to_back::check;

constexpr int rounds = 50, steps = 8, launches = 2;
constexpr int threads = 256, words = 256;  // words: of a step's column, or row

// `width`: floats of a load, 0 without loads.
template <int rows, int columns, int width>
__global__ void __launch_bounds__(threads) multiply(long long* took, float* out) {
    __shared__ __align__(16) float tiles[2][2 * steps][words];
    for (int i = static_cast<int>(threadIdx.x); i < 2 * 2 * steps * words;
         i += static_cast<int>(blockDim.x))
        (&tiles[0][0][0])[i] = i * 1e-9f;
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    float sums[rows][columns] = {}, column[rows], row[columns];
    for (int i = 0; i < rows; ++i) column[i] = threadIdx.x * 1e-3f + i;
    for (int j = 0; j < columns; ++j) row[j] = threadIdx.x * 1e-4f + j;
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int k = 0; k < steps; ++k) {
            if (width == 4) {
#pragma unroll
                for (int i = 0; i < rows / 4; ++i)
                    *reinterpret_cast<float4*>(&column[4 * i]) =
                        *reinterpret_cast<const float4*>(&tiles[0][k][(ty * 4 + 64 * i) % words]);
#pragma unroll
                for (int j = 0; j < columns / 4; ++j)
                    *reinterpret_cast<float4*>(&row[4 * j]) =
                        *reinterpret_cast<const float4*>(&tiles[1][k][(tx * 4 + 64 * j) % words]);
            } else if (width == 1) {
#pragma unroll
                for (int i = 0; i < rows; ++i) column[i] = tiles[0][k][(ty + 16 * i) % words];
#pragma unroll
                for (int j = 0; j < columns; ++j) row[j] = tiles[1][k][(tx + 16 * j) % words];
            }
#pragma unroll
            for (int i = 0; i < rows; ++i)
#pragma unroll
                for (int j = 0; j < columns; ++j) sums[i][j] = fmaf(column[i], row[j], sums[i][j]);
        }
        if (width > 0) asm volatile("" ::: "memory");  // load again
    }
    const long long end = clock64();
    float sum = 0;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) sum += sums[i][j];
    out[threadIdx.x] = sum;
    if (threadIdx.x % 32 == 0) took[threadIdx.x / 32] = end - begin;
}

template <int rows, int columns, int width>
void print(long long* took, float* out) {
    const std::string loads =
        width == 0 ? "no loads" : "loads of " + std::to_string(4 * width) + " bytes";
    for (const int warps : {1, 4, 8}) {
        for (int i = 0; i < launches; ++i)
            multiply<rows, columns, width><<<1, 32 * warps>>>(took, out);
        check(cudaGetLastError());
        check(cudaDeviceSynchronize());
        const double ticks = static_cast<double>(*std::max_element(took, took + warps));
        std::printf("\"%d x %d, %s, %d %s\",%.2f\n", rows, columns, loads.c_str(), warps,
                    warps == 1 ? "warp" : "warps", ticks / (rounds * steps));
    }
}

}  // namespace

int main() {
    long long* took;
    float* out;
    check(cudaMallocManaged(&took, threads / 32 * sizeof *took));
    check(cudaMalloc(&out, threads * sizeof *out));
    std::printf("step,cycles\n");
    print<8, 8, 0>(took, out);
    print<8, 8, 4>(took, out);
    print<8, 8, 1>(took, out);
    print<4, 4, 0>(took, out);
    print<4, 4, 4>(took, out);
    print<4, 4, 1>(took, out);
    print<8, 4, 4>(took, out);
    print<4, 8, 4>(took, out);
    print<8, 4, 0>(took, out);
    print<16, 4, 4>(took, out);
    print<4, 16, 4>(took, out);
    check(cudaFree(out));
    check(cudaFree(took));
}
