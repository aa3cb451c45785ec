// The cost of reading down columns of a matrix that the L2 has, by blocks of several shapes. n x n threads read a matrix of n
// rows of 64 words: thread (x, y) reads word y mod 64 of row x. With rows written, it also writes word x of row y mod 16 of a
// matrix of 16 x n. Prints a line each, `read,us`: means of two launches.
#include <cstdio>

#include "../back_to_back.hpp"

namespace {

using back_to_back::check;
using back_to_back::mib;

constexpr unsigned pitch = 64, written_rows = 16;

template <bool writes>
__global__ void read_columns(const float* in, float* out, unsigned n) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
                   y = blockIdx.y * blockDim.y + threadIdx.y;
    const float value = in[std::size_t{x} * pitch + y % pitch];
    if (writes)
        out[std::size_t{y % written_rows} * n + x] = value;
    else if (value == 12345)
        *out = value;  // never
}

template <bool writes>
void print(const float* in, float* out, unsigned n, dim3 block) {
    const double ns = back_to_back::nanoseconds_of(in, 1, 2, [&](int) {
        read_columns<writes><<<dim3(n / block.x, n / block.y), block>>>(in, out, n);
    });
    std::printf("\"columns read%s by %u x %u threads, %u x %u\",%.2f\n",
                writes ? " and rows written" : "", block.x, block.y, n, n, 1e-3 * ns);
}

}  // namespace

int main() {
    float *in, *out;
    constexpr std::size_t bytes = 16 * mib;
    check(cudaMalloc(&in, bytes));
    check(cudaMalloc(&out, bytes));
    check(cudaMemset(in, 0, bytes));
    std::printf("read,us\n");
    for (const unsigned n : {2048u, 8192u}) {
        for (const dim3 block :
             {dim3(16, 16), dim3(32, 8), dim3(8, 32), dim3(32, 32), dim3(16, 32)}) {
            print<false>(in, out, n, block);
            print<true>(in, out, n, block);
        }
    }
    check(cudaFree(out));
    check(cudaFree(in));
}
