// The cost of columns of a matrix that blocks of several shapes write, at several pitches, and rows that they read beside
// them: of data that the L2 has, and, each launch in other matrices, of data that it lacks. Prints a line each,
// `columns,us`: medians.
#include <cstdio>
#include <string>

#include "../back_to_back.hpp"

namespace {

using back_to_back::check;
using back_to_back::mib;

constexpr unsigned side = 2048;
constexpr std::size_t matrix_bytes = 33 * mib;  // of the widest pitch, and more
constexpr std::size_t matrices = 12;            // each in turn, where the L2 is to lack them

template <bool reads_rows>
__global__ void write_columns(const float* in, float* out, unsigned pitch) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
                   y = blockIdx.y * blockDim.y + threadIdx.y;
    out[std::size_t{x} * pitch + y] = reads_rows ? in[std::size_t{y} * pitch + x] : 1;
}

template <bool reads_rows>
double launch(char* arena, dim3 block, unsigned pitch, bool is_cold) {
    const dim3 grid(side / block.x, side / block.y);
    return 1e-3 * back_to_back::median_of_three(arena, 6, 12, [&](int i) {
               const auto matrix = [&](int n) {
                   const std::size_t place = static_cast<std::size_t>(n) % matrices;
                   return reinterpret_cast<float*>(arena + place * matrix_bytes);
               };
               const int first = is_cold ? 2 * i : 0;
               write_columns<reads_rows><<<grid, block>>>(matrix(first), matrix(first + 1), pitch);
           });
}

void print(char* arena, dim3 block, unsigned pitch, bool reads_rows, bool is_cold) {
    const std::string what = std::string(reads_rows ? "rows read and columns" : "columns") +
                             " written by " + std::to_string(block.x) + " x " +
                             std::to_string(block.y) + " at a pitch of " + std::to_string(pitch) +
                             " floats" + (is_cold ? ", not in the L2" : "");
    const double us = reads_rows ? launch<true>(arena, block, pitch, is_cold)
                                 : launch<false>(arena, block, pitch, is_cold);
    std::printf("\"%s\",%.3f\n", what.c_str(), us);
}

}  // namespace

int main() {
    char* arena;
    check(cudaMalloc(&arena, matrices * matrix_bytes));
    check(cudaMemset(arena, 0, matrices * matrix_bytes));
    std::printf("columns,us\n");
    for (const unsigned pitch : {2048u, 2056u, 2080u, 2112u, 2176u, 2240u, 2304u, 3072u, 4096u})
        print(arena, {32, 8}, pitch, false, false);
    for (const unsigned pitch : {2048u, 2176u}) {
        for (const dim3 block : {dim3(16, 16), dim3(16, 8), dim3(32, 8)}) {
            for (const bool reads_rows : {false, true}) {
                for (const bool is_cold : {false, true}) {
                    if (block.x == 16 || reads_rows || is_cold)
                        print(arena, block, pitch, reads_rows, is_cold);
                }
            }
        }
    }
    check(cudaFree(arena));
}
