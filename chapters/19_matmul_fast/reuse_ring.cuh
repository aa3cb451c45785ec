// The stages of k that the copy engine brings to a block of steps 6 and 7, and the barriers around them.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "bulk_copies.cuh"
#include "parts.cuh"
#include "reuse_steps.cuh"

namespace {

// A tile's constants. A warp computes 64 x 64 elements of c, a thread 8 x 16 of them. In tiles
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

// The stages that cover k.
template <class S>
__device__ __forceinline__ int phases_of(int k) {
    constexpr int stage_depth = S::spans * depth;
    return (k + stage_depth - 1) / stage_depth;
}

// Each stage has two: whether it has been filled, and whether all warps have left it. Not yet initialised.
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

// All blocks of a launch share these.
struct Matrices {
    const CUtensorMap *a_map, *b_map;
    int m, n;
    float alpha;
    float* c;
    int ldc;
};

// Has the copy engine bring a phase of a block's work into a stage; by one thread. `first`, `full`: of the ring.
template <class S, int tile_columns>
struct Filler {
    const Matrices& matrices;
    const Work& work;
    std::uint32_t first, full;

    __device__ __forceinline__ void operator()(int stage, int phase) const {
        const std::uint32_t to = first + stage * S::stage_bytes;
        const std::uint32_t barrier = full + 8 * stage;
        barrier_expect(barrier, S::stage_bytes);
#pragma unroll
        for (int span = 0; span < S::spans; ++span) {
            const std::uint32_t a_to = to + span * S::span_bytes;
            const int k = ((work.first + phase) * S::spans + span) * depth;
            copy_box(a_to, matrices.a_map, work.tile.row, k, barrier);
#pragma unroll
            for (int box = 0; box < tile_columns / box_columns; ++box) {
                copy_box(a_to + S::a_bytes + box * (depth * box_columns * 4), matrices.b_map, k,
                         work.tile.column + box * box_columns, barrier);
            }
        }
    }
};

}  // namespace
