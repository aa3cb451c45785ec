// How a block multiplies a tile in steps 6 and 7: tiles that the copy engine brings, and multiply-adds in an order
// that spares the register file.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "bulk_copies.cuh"
#include "parts.cuh"

namespace {

// Elements of k in a stage: 32 of a row of a are the 128 bytes that a swizzle spans.
constexpr int depth = 32;
// Tiles of b come in boxes of so many columns.
constexpr int box_columns = 64;

// What depends on the tile. A warp computes 64 x 64 elements of c, a thread 8 x 16 of them. In tiles
// with fewer than four such parts several warps share a part, each with some of the pieces of k.
template <int rows, int columns>
struct Shape {
    static constexpr int warps = 4;
    static constexpr int threads = 32 * warps;
    static constexpr int parts_across = columns / 64;
    static constexpr int parts = rows / 64 * parts_across;
    static constexpr int shares = warps / parts;
    static constexpr int stages = 3;
    // Boxes of k in a stage: two where four warps share it, as barriers cost instructions per stage.
    static constexpr int spans = shares == 4 ? 2 : 1;
    static constexpr int a_bytes = rows * depth * 4;
    static constexpr int b_bytes = depth * columns * 4;
    static constexpr int span_bytes = a_bytes + b_bytes;
    static constexpr int stage_bytes = spans * span_bytes;
    // After the last stage shared memory holds the sums of all threads, where warps share them.
    static constexpr int sums_bytes = shares == 1 ? 0 : threads * 8 * 16 * 4;
    static constexpr int ring_bytes = stages * stage_bytes;
    static constexpr int used_bytes = ring_bytes > sums_bytes ? ring_bytes : sums_bytes;
    // The swizzle's pattern repeats every 1024 bytes; shared memory may begin in between.
    static constexpr int shared_bytes = used_bytes + 1024;
};

// Stages of which k consists.
template <class S>
__device__ __forceinline__ int phases_of(int k) {
    constexpr int stage_depth = S::spans * depth;
    return (k + stage_depth - 1) / stage_depth;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

// What a thread multiplies next: 8 rows of a for two steps of k, and 16 columns of b for either.
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

// Of each stage: whether it has been filled, and whether all warps have left it. Not yet initialised.
template <class S>
struct Barriers {
    std::uint64_t full[S::stages], empty[S::stages];

    // By one thread, before any other uses them.
    __device__ __forceinline__ void initialise() {
        for (int stage = 0; stage < S::stages; ++stage) {
            barrier_init(shared_address(&full[stage]), 1);
            barrier_init(shared_address(&empty[stage]), S::warps);
        }
        publish_barriers();
    }
    // By one thread, when no other waits: they may be initialised again.
    __device__ __forceinline__ void invalidate() {
        for (int stage = 0; stage < S::stages; ++stage) {
            barrier_invalidate(shared_address(&full[stage]));
            barrier_invalidate(shared_address(&empty[stage]));
        }
    }
};

// The ring of stages in shared memory: the one to read next, and the parity of its round.
template <class S>
struct Ring {
    std::uint32_t first, full, empty;
    int stage = 0;
    int parity = 0;

    __device__ __forceinline__ std::uint32_t at() const { return first + stage * S::stage_bytes; }
    __device__ __forceinline__ void advance() {
        if (++stage == S::stages) {
            stage = 0;
            parity ^= 1;
        }
    }
    __device__ __forceinline__ void wait_until_full() const {
        barrier_wait(full + 8 * stage, parity);
    }
};

// A block's work on one tile: the stages of k from `first` to before `last`, for c = alpha a b + beta c.
struct Work {
    TileOrigin tile;
    int first, last;
};

// What all blocks of a launch share.
struct Matrices {
    const CUtensorMap *a_map, *b_map;
    int m, n;
    float alpha;
    float* c;
    int ldc;
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
    const int lane = threadIdx.x % 32;
    const int lane_row = lane % 8;
    const int part = threadIdx.x / 32 % S::parts;
    const int share = threadIdx.x / 32 / S::parts;
    const int row = part / S::parts_across * 64 + lane_row;
    const int column = part % S::parts_across * 64 + lane / 8 * 4;
    const int phases = work.last - work.first;
    Ring<S> ring = {shared_address(aligned), shared_address(barriers.full),
                    shared_address(barriers.empty)};

    const auto fill = [&](int stage, int phase) {
        const std::uint32_t to = ring.first + stage * S::stage_bytes;
        const std::uint32_t barrier = ring.full + 8 * stage;
        barrier_expect(barrier, S::stage_bytes);
#pragma unroll
        for (int span = 0; span < S::spans; ++span) {
            const std::uint32_t a_to = to + span * S::span_bytes;
            const int first = ((work.first + phase) * S::spans + span) * depth;
            copy_box(a_to, matrices.a_map, tile.row, first, barrier);
#pragma unroll
            for (int box = 0; box < tile_columns / box_columns; ++box) {
                copy_box(a_to + S::a_bytes + box * (depth * box_columns * 4), matrices.b_map, first,
                         tile.column + box * box_columns, barrier);
            }
        }
    };
    if (threadIdx.x == 0) barriers.initialise();
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int phase = 0; phase < S::stages - 1 && phase < phases; ++phase) fill(phase, phase);
    }

    // A warp's share of a stage: the elements of k that lie `first_bytes` from the start of a row of a
    // and before `end_bytes`. In row r the 16-byte piece p lies at p ^ (r % 8).
    float sum[8][16] = {};
    Operands operands;
    constexpr int shares_a_span = S::shares / S::spans;
    constexpr int share_bytes = depth * 4 / shares_a_span;
    const std::uint32_t span = S::spans == 1 ? 0 : share / shares_a_span * S::span_bytes;
    const std::uint32_t first_bytes = (S::spans == 1 ? share : share % shares_a_span) * share_bytes;
    const std::uint32_t end_bytes = first_bytes + share_bytes;
    const std::uint32_t a_offset = span + row * depth * 4;
    const std::uint32_t b_offset = span + S::a_bytes +
                                   column / box_columns * (depth * box_columns * 4) +
                                   column % box_columns * 4;
    const auto two_steps = [&](std::uint32_t a_row, std::uint32_t b_row, std::uint32_t bytes) {
        multiply_two_steps(sum, operands, a_row | (bytes ^ (lane_row << 4)),
                           b_row + bytes * box_columns);
    };
    ring.wait_until_full();
    std::uint32_t a_row = ring.at() + a_offset;
    std::uint32_t b_row = ring.at() + b_offset;
    read_a<0, 8>(operands, a_row | (first_bytes ^ (lane_row << 4)));
    read_b<0>(operands, b_row + first_bytes * box_columns);
    read_b<1>(operands, b_row + first_bytes * box_columns);
    multiply_rows<0, 0, 8>(sum, operands);
    multiply_rows<1, 0, 4>(sum, operands);
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
    const Destination destination = {
        matrices.c,     matrices.ldc,         matrices.m,     matrices.n,
        tile.row + row, tile.column + column, matrices.alpha, beta};
    if constexpr (S::shares > 1) {
        float4* const sums = reinterpret_cast<float4*>(aligned) + part * (S::shares * 8 * 4 * 32);
        add_and_store<S::shares>(sum, sums, share, destination);
    } else {
        destination.store_all(sum);
    }
}

#endif

}  // namespace
