// Two steps of k of a thread's elements of c, in an order that spares the register file; steps 6 and 7.
#pragma once

#include <cstdint>

#include "bulk_copies.cuh"
#include "parts.cuh"

namespace {

// Elements of k in a stage: 32 of a row of a are the 128 bytes that a swizzle spans.
constexpr int depth = 32;
// Tiles of b come in boxes of so many columns.
constexpr int box_columns = 64;

// The next operands of a thread: 8 rows of a for two steps of k, and 16 columns of b for either.
struct Operands {
    float2 a[8];
    float4 b[2][4];
};

__device__ __forceinline__ float element(const float4& v, int i) {
    return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

// The column of a row's n-th multiply-add in a step. Rows go alternately from left to right and from
// right to left: the last of a row and the first of the next share b. Both ends of a row are even columns
// in even steps and odd ones in odd steps, because the first of a row also reads a: one of two, in a
// register of the step's parity.
__device__ constexpr int serpentine(int row, int n, int step) {
    const int place = row % 2 == 0 ? n : 15 - n;
    const int column = place < 14 ? place : place ^ 1;
    return step == 0 ? column : column ^ 1;
}

template <int step, int from, int to>
__device__ __forceinline__ void multiply_rows(float (&sum)[8][16], const Operands& operands) {
#pragma unroll
    for (int i = from; i < to; ++i) {
#pragma unroll
        for (int n = 0; n < 16; ++n) {
            const int j = serpentine(i, n, step);
            sum[i][j] += (step == 0 ? operands.a[i].x : operands.a[i].y) *
                         element(operands.b[step][j / 4], j % 4);
        }
    }
}

template <int from, int to>
__device__ __forceinline__ void read_a(Operands& operands, std::uint32_t at) {
#pragma unroll
    for (int i = from; i < to; ++i) operands.a[i] = load_shared_2(at + i * 8 * depth * 4);
}

template <int step>
__device__ __forceinline__ void read_b(Operands& operands, std::uint32_t at) {
#pragma unroll
    for (int quad = 0; quad < 4; ++quad) {
        operands.b[step][quad] = load_shared_4(at + step * box_columns * 4 + quad * 64);
    }
}

// Two steps of k, from the middle of one to the middle of another. A pass of the loop ends where half of
// the rows have been multiplied: the assembler moves what is read for the next pass to the end of this
// one, where it would be waited for. Here nothing is; all that a pass reads it also multiplies, half a
// step later at least.
__device__ __forceinline__ void multiply_two_steps(float (&sum)[8][16], Operands& operands,
                                                   std::uint32_t a_at, std::uint32_t b_at) {
    read_a<0, 4>(operands, a_at);
    read_b<0>(operands, b_at);
    multiply_rows<1, 4, 5>(sum, operands);
    read_a<4, 5>(operands, a_at);
    multiply_rows<1, 5, 6>(sum, operands);
    read_a<5, 6>(operands, a_at);
    multiply_rows<1, 6, 7>(sum, operands);
    read_a<6, 7>(operands, a_at);
    multiply_rows<1, 7, 8>(sum, operands);
    read_a<7, 8>(operands, a_at);
    multiply_rows<0, 0, 4>(sum, operands);
    read_b<1>(operands, b_at);
    multiply_rows<0, 4, 8>(sum, operands);
    multiply_rows<1, 0, 4>(sum, operands);
}

// From the start of a share to the middle of its second step: what multiply_two_steps goes on with.
__device__ __forceinline__ void multiply_first_step(float (&sum)[8][16], Operands& operands,
                                                    std::uint32_t a_row, std::uint32_t b_row,
                                                    std::uint32_t bytes, std::uint32_t swizzle) {
    read_a<0, 8>(operands, a_row | (bytes ^ swizzle));
    read_b<0>(operands, b_row + bytes * box_columns);
    read_b<1>(operands, b_row + bytes * box_columns);
    multiply_rows<0, 0, 8>(sum, operands);
    multiply_rows<1, 0, 4>(sum, operands);
}

}  // namespace
