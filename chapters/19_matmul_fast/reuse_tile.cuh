// How a block multiplies a tile in steps 6 and 7: tiles that the copy engine brings, and multiply-adds in an order
// that spares the register file.
#pragma once

#include <cstdint>

#include "parts.cuh"
#include "reuse_ring.cuh"
#include "reuse_steps.cuh"

namespace {

// Where a thread's elements of c lie, and what becomes of its sums.
struct Destination {
    float* c;
    int ldc, m, n, row, column;
    float alpha, beta;

    // The q-th four of the i-th row.
    __device__ __forceinline__ void store(int i, int q, const float* sums) const {
        store_4<true>(c, ldc, m, n, row + 8 * i, column + 16 * q, alpha, sums, beta);
    }
    __device__ __forceinline__ void store_all(const float (&sum)[8][16]) const {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
#pragma unroll
            for (int q = 0; q < 4; ++q) store(i, q, &sum[i][4 * q]);
        }
    }
};

// Warps that share a part of the tile add their sums through shared memory, each some of the rows. They
// are scaled before: sums that are stored as they are would have to lie in four neighbouring registers,
// in the banks of the elements of b that they are multiplied with.
template <int shares>
__device__ __forceinline__ void add_and_store(const float (&sum)[8][16], float4* part, int share,
                                              Destination destination) {
    const int lane = threadIdx.x % 32;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            const float* const four = &sum[i][4 * q];
            const float alpha = destination.alpha;
            part[((share * 8 + i) * 4 + q) * 32 + lane] = {alpha * four[0], alpha * four[1],
                                                           alpha * four[2], alpha * four[3]};
        }
    }
    __syncthreads();
    destination.alpha = 1;
#pragma unroll
    for (int row = 0; row < 8 / shares; ++row) {
        const int i = share * (8 / shares) + row;
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            float total[4] = {};
#pragma unroll
            for (int from = 0; from < shares; ++from) {
                const float4 some = part[((from * 8 + i) * 4 + q) * 32 + lane];
                total[0] += some.x;
                total[1] += some.y;
                total[2] += some.z;
                total[3] += some.w;
            }
            destination.store(i, q, total);
        }
    }
}

// A warp's share of a stage: the elements of k that lie `first_bytes` from the start of a row of a and before
// `end_bytes`, and where in the stage a thread's first ones of a and b lie. In row r the 16-byte piece p lies
// at p ^ (r % 8).
struct StageShare {
    std::uint32_t first_bytes, end_bytes, a_offset, b_offset;
};

template <class S>
__device__ __forceinline__ StageShare share_of_stage(int share, int row, int column) {
    constexpr int shares_a_span = S::shares / S::spans;
    constexpr int share_bytes = depth * 4 / shares_a_span;
    const std::uint32_t span = S::spans == 1 ? 0 : share / shares_a_span * S::span_bytes;
    const std::uint32_t first_bytes = (S::spans == 1 ? share : share % shares_a_span) * share_bytes;
    return {first_bytes, first_bytes + share_bytes, span + row * depth * 4,
            span + S::a_bytes + column / box_columns * (depth * box_columns * 4) +
                column % box_columns * 4};
}

// Stores a thread's sums, or adds those of the warps that share its part of the tile before.
template <class S>
__device__ __forceinline__ void finish(const float (&sum)[8][16], const Matrices& matrices,
                                       char* shared, int part, int share, int row, int column,
                                       float beta) {
    const Destination destination = {matrices.c, matrices.ldc, matrices.m,     matrices.n,
                                     row,        column,       matrices.alpha, beta};
    if constexpr (S::shares > 1) {
        float4* const sums = reinterpret_cast<float4*>(shared) + part * (S::shares * 8 * 4 * 32);
        add_and_store<S::shares>(sum, sums, share, destination);
    } else {
        destination.store_all(sum);
    }
}

// Where a thread works: its warp's part of the tile and share of a stage, its first row and column there.
template <class S>
struct Place {
    int lane = threadIdx.x % 32;
    int lane_row = lane % 8;
    int part = threadIdx.x / 32 % S::parts;
    int share = threadIdx.x / 32 / S::parts;
    int row = part / S::parts_across * 64 + lane_row;
    int column = part % S::parts_across * 64 + lane / 8 * 4;
};

// Multiplies, and then, when `wait` returns with the factor of what c holds, stores.
template <int tile_rows, int tile_columns, class Wait>
__device__ __forceinline__ void multiply_tile(const Matrices& matrices, const Work& work,
                                              Barriers<Shape<tile_rows, tile_columns>>& barriers,
                                              Wait wait) {
    using S = Shape<tile_rows, tile_columns>;
    extern __shared__ char shared_bytes[];
    const std::uint32_t unaligned = shared_address(shared_bytes) & 1023;
    char* const aligned = shared_bytes + (1024 - unaligned) % 1024;
    const TileOrigin tile = work.tile;
    const auto [lane, lane_row, part, share, row, column] = Place<S>();
    const int phases = work.last - work.first;
    Ring<S> ring = {shared_address(aligned), shared_address(barriers.full),
                    shared_address(barriers.empty)};
    const Filler<S, tile_columns> fill = {matrices, work, ring.first, ring.full};
    if (threadIdx.x == 0) barriers.initialise();
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int phase = 0; phase < S::stages - 1 && phase < phases; ++phase) fill(phase, phase);
    }

    float sum[8][16] = {};
    Operands operands;
    const auto [first_bytes, end_bytes, a_offset, b_offset] = share_of_stage<S>(share, row, column);
    const auto two_steps = [&](std::uint32_t a_row, std::uint32_t b_row, std::uint32_t bytes) {
        multiply_two_steps(sum, operands, a_row | (bytes ^ (lane_row << 4)),
                           b_row + bytes * box_columns);
    };
    ring.wait_until_full();
    std::uint32_t a_row = ring.at() + a_offset;
    std::uint32_t b_row = ring.at() + b_offset;
    multiply_first_step(sum, operands, a_row, b_row, first_bytes, lane_row << 4);
    for (int phase = 0;; ++phase) {
#pragma unroll 1
        for (std::uint32_t bytes = first_bytes + 8; bytes < end_bytes; bytes += 8) {
            two_steps(a_row, b_row, bytes);
        }
        // Refills the stage that all warps have left in the phase before; a warp in turn, as each has a
        // scheduler of its own and the slowest one decides.
        const int refill = phase + S::stages - 1;
        if (threadIdx.x == phase % S::warps * 32 && refill < phases) {
            const int stage = refill % S::stages;
            if (phase >= 1) barrier_wait(ring.empty + 8 * stage, (phase - 1) / S::stages & 1);
            fill(stage, refill);
        }
        if (phase + 1 == phases) break;
        const std::uint32_t left = ring.empty + 8 * ring.stage;
        ring.advance();
        ring.wait_until_full();
        a_row = ring.at() + a_offset;
        b_row = ring.at() + b_offset;
        two_steps(a_row, b_row, first_bytes);
        __syncwarp();
        if (lane == 0) barrier_arrive(left);
    }
    multiply_rows<1, 4, 8>(sum, operands);
    const float beta = wait();
    finish<S>(sum, matrices, aligned, part, share, tile.row + row, tile.column + column, beta);
}

}  // namespace
