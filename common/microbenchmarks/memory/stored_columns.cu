// The cost of several warps of a block that write the same sectors of columns, in blocks of 16 x 16 threads. Each
// stores once or several times, into rows 16 apart, with barriers between the stores or without, and 1, 2, 4 or 8 blocks on
// an SM. Prints a line each, `columns,us`: means of two launches. Of matrices of so many rows and columns,
//     stored_columns [ROWS [once]]
// of 8192 what the L2 reads again to complete sectors can be counted under a profiler (data/timing/completed_sectors.csv):
//     ncu --clock-control none --metrics dram__bytes_read.sum --csv stored_columns 8192 once
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../back_to_back.hpp"

namespace {

using back_to_back::check;

constexpr std::size_t shared_of_sm = std::size_t{220} << 10;

template <int stores, bool with_barriers>
__global__ void store_columns(float* out, std::size_t rows) {
    const std::size_t x = std::size_t{blockIdx.x} * 16 * stores + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * 16 + threadIdx.y;
#pragma unroll
    for (int i = 0; i < stores; ++i) {
        out[(x + 16 * i) * rows + y] = 1;
        if (with_barriers) __syncthreads();
    }
}

struct Kernel {
    int stores;
    bool with_barriers;
    void (*store)(float*, std::size_t);
};

// Shared memory that leaves room for so many blocks on an SM, some less than the most that a block may have.
std::size_t shared_for(int blocks) {
    if (blocks == 8) return 0;  // as many as their threads allow
    return blocks == 1 ? shared_of_sm * 9 / 10 : shared_of_sm / blocks - 2048;
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2048;
    const bool is_once = argc > 2;
    const std::vector<Kernel> kernels{
        {1, false, store_columns<1, false>},   {2, false, store_columns<2, false>},
        {4, false, store_columns<4, false>},   {8, false, store_columns<8, false>},
        {16, false, store_columns<16, false>}, {4, true, store_columns<4, true>},
        {16, true, store_columns<16, true>}};
    float* out;
    check(cudaMalloc(&out, rows * rows * sizeof(float)));
    check(cudaMemset(out, 0, rows * rows * sizeof(float)));
    std::printf("columns,us\n");
    for (const Kernel& kernel : kernels) {
        check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel.store),
                                   cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shared_for(1))));
        for (const int blocks : {8, 4, 2, 1}) {
            const auto launch = [&](int) {
                const dim3 grid(static_cast<unsigned>(rows / 16 / kernel.stores),
                                static_cast<unsigned>(rows / 16));
                kernel.store<<<grid, dim3(16, 16), shared_for(blocks)>>>(out, rows);
            };
            const double ns = is_once ? back_to_back::nanoseconds_of(out, 0, 1, launch, 0)
                                      : back_to_back::nanoseconds_of(out, 1, 2, launch);
            std::printf("\"%d stores%s, %d blocks on an SM\",%.3f\n", kernel.stores,
                        kernel.with_barriers ? " and barriers" : "", blocks, 1e-3 * ns);
        }
    }
    check(cudaFree(out));
}
