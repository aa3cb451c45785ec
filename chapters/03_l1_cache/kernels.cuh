// Kernels of chapter 03: chapter 02's, which is compiled twice, and one that reads again what it has
// read before.
#pragma once

#include "../02_misaligned_reads/kernels.cuh"

// One warp reads 16 lines `touches` times, then `others` lines once, then the 16 lines again. Are they
// still in the L1, and does it help that they were read often? `step` is 0, which the compiler does not
// know: ptxas would load the same addresses once, before the loop.
constexpr unsigned hot_lines = 16;

__global__ void reread(const float* hot, const float* passing, float* out, unsigned touches,
                       unsigned others, unsigned step) {
    float sum = 0;
#pragma unroll 1
    for (unsigned touch = 0; touch < touches; ++touch) {
        for (unsigned line = 0; line < hot_lines; ++line)
            sum += __ldca(&hot[touch * step + line * 32 + threadIdx.x]);
    }
    for (unsigned line = 0; line < others; ++line) sum += __ldca(&passing[line * 32 + threadIdx.x]);
    for (unsigned line = 0; line < hot_lines; ++line) sum += __ldca(&hot[line * 32 + threadIdx.x]);
    out[threadIdx.x] = sum;
}
