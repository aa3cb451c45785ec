// matmul_bulk: tiles that the copy engine brings.
#include "bulk.hpp"

#include <cstdint>
#include <stdexcept>

#include "bulk_copies.cuh"
#include "lab/device/compute_capability.hpp"
#include "parts.cuh"

namespace {

// Elements of k in a stage: 32 of a row of a are the 128 bytes that a swizzle spans.
constexpr int depth = 32;
// Tiles of b come in boxes of so many columns.
constexpr int box_columns = 64;

// A tile's constants: a warp covers 64 rows and 4 x `columns` columns, a thread 8 x `columns`.
template <int rows, int tile_columns>
struct Shape {
    static constexpr int columns = rows == 128 && tile_columns == 128 ? 16 : 8;
    static constexpr int warps_across = tile_columns / (4 * columns);
    static constexpr int warps = rows / 64 * warps_across;
    static constexpr int threads = 32 * warps;
    static constexpr int stages = 3;
    static constexpr int a_bytes = rows * depth * 4;
    static constexpr int b_bytes = depth * tile_columns * 4;
    static constexpr int stage_bytes = a_bytes + b_bytes;
    // The swizzle's pattern repeats every 1024 bytes; shared memory may begin in between.
    static constexpr int shared_bytes = stages * stage_bytes + 1024;
    // As many as fit the 227 KB of an SM.
    static constexpr int blocks_an_sm = 227 * 1024 / (shared_bytes + 1024);
};

// The part of the sums that lies in one stage. Of a, a thread reads 2 elements of k at once, from rows
// of 128 bytes whose 16-byte pieces are exchanged by the row (piece p of row r lies at p ^ (r % 8)):
// the 8 rows of a quarter warp lie in different banks. Operands are read a step ahead, into registers of
// their own, so that no multiply-add waits for a load. `halfway` is called once in between.
//
// The order of the statements is the order of the instructions: this file is assembled with
// -Xptxas -O1 (meson.build). Left to itself, the assembler moves sums from register to register, and
// neighbouring multiply-adds then write to the same bank of the register file and wait for each other.
template <int columns, class Halfway>
__device__ __forceinline__ void multiply_stage(float (&sum)[8][columns], std::uint32_t a_at,
                                               std::uint32_t b_at, int lane_row, Halfway halfway) {
    float2 a[2][8];
    float b[2][columns];
#pragma unroll
    for (int i = 0; i < 8; ++i) a[0][i] = load_shared_2(a_at + (lane_row << 4) + i * 1024);
#pragma unroll
    for (int j = 0; j < columns; j += 4) {
        *reinterpret_cast<float4*>(&b[0][j]) = load_shared_4(b_at + j * 16);
    }
#pragma unroll 2
    for (int piece = 0; piece < depth / 4; ++piece) {
#pragma unroll
        for (int step = 0; step < 4; ++step) {
            const std::uint32_t b_next =
                b_at + ((piece * 4 + step + 1) & (depth - 1)) * (box_columns * 4);
#pragma unroll
            for (int j = 0; j < columns; j += 4) {
                *reinterpret_cast<float4*>(&b[(step + 1) & 1][j]) = load_shared_4(b_next + j * 16);
            }
            if (step % 2 == 0) {
                const int piece_of_next = step == 0 ? piece : (piece + 1) & 7;
                const std::uint32_t a_next =
                    a_at + ((piece_of_next ^ lane_row) << 4) + (step == 0 ? 8 : 0);
#pragma unroll
                for (int i = 0; i < 8; ++i) {
                    a[(step / 2 + 1) & 1][i] = load_shared_2(a_next + i * 1024);
                }
            }
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                const float x = step % 2 == 0 ? a[step / 2][i].x : a[step / 2][i].y;
#pragma unroll
                for (int j = 0; j < columns; ++j) sum[i][j] += x * b[step & 1][j];
            }
        }
        if (piece == 3) halfway();
    }
}

// By one thread, before any other uses them.
template <class S>
__device__ __forceinline__ void initialise(std::uint64_t (&full)[S::stages],
                                           std::uint64_t (&empty)[S::stages]) {
    for (int stage = 0; stage < S::stages; ++stage) {
        barrier_init(shared_address(&full[stage]), 1);
        barrier_init(shared_address(&empty[stage]), S::warps);
    }
    publish_barriers();
}

// Stores what a thread has summed up of 8 rows, whose first elements lie at `row` and `column` of c.
template <int columns>
__device__ __forceinline__ void store_rows(const float (&sum)[8][columns], float* c, int ldc, int m,
                                           int n, int row, int column, float alpha, float beta) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < columns; j += 4) {
            store_4<true>(c, ldc, m, n, row + 8 * i, column + 4 * j, alpha, &sum[i][j], beta);
        }
    }
}

// c = alpha a b + beta c. Against matmul_double_buffered: no thread loads or stores a tile. One thread
// asks the SM's copy engine for whole tiles, two stages ahead in a ring of three, which cost neither registers nor
// instructions; barriers in shared memory count bytes and warps in place of __syncthreads, so that no
// warp waits for another. The registers saved hold 8 x 16 elements of c a thread: more reuse.
template <int tile_rows, int tile_columns>
__global__ void __launch_bounds__(Shape<tile_rows, tile_columns>::threads,
                                  Shape<tile_rows, tile_columns>::blocks_an_sm)
    matmul_bulk(const __grid_constant__ CUtensorMap a_map,
                const __grid_constant__ CUtensorMap b_map, int m, int n, int k, float alpha,
                float beta, float* c, int ldc) {
    using S = Shape<tile_rows, tile_columns>;
    constexpr int columns = S::columns;
    extern __shared__ char shared_bytes[];
    __shared__ std::uint64_t full[S::stages], empty[S::stages];
    const std::uint32_t stages_at = (shared_address(shared_bytes) + 1023) & ~1023u;
    const TileOrigin tile =
        tile_origin<tile_rows, tile_columns>(blockIdx.y * gridDim.x + blockIdx.x, gridDim);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int lane_row = lane % 8;
    const int row = warp / S::warps_across * 64 + lane_row;
    const int warp_column = warp % S::warps_across * 4 * columns;
    const int phases = (k + depth - 1) / depth;

    const auto fill = [&](int phase) {
        const int stage = phase % S::stages;
        const std::uint32_t to = stages_at + stage * S::stage_bytes;
        const std::uint32_t barrier = shared_address(&full[stage]);
        barrier_expect(barrier, S::stage_bytes);
        copy_box(to, &a_map, tile.row, phase * depth, barrier);
#pragma unroll
        for (int box = 0; box < tile_columns / box_columns; ++box) {
            copy_box(to + S::a_bytes + box * (depth * box_columns * 4), &b_map, phase * depth,
                     tile.column + box * box_columns, barrier);
        }
    };
    if (threadIdx.x == 0) initialise<S>(full, empty);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int phase = 0; phase < S::stages - 1 && phase < phases; ++phase) fill(phase);
    }

    float sum[8][columns] = {};
    for (int phase = 0; phase < phases; ++phase) {
        const int stage = phase % S::stages;
        barrier_wait(shared_address(&full[stage]), phase / S::stages & 1);
        const std::uint32_t a_at = stages_at + stage * S::stage_bytes + row * depth * 4;
        const std::uint32_t b_at = stages_at + stage * S::stage_bytes + S::a_bytes +
                                   warp_column / box_columns * (depth * box_columns * 4) +
                                   warp_column % box_columns * 4 + lane / 8 * 16;
        multiply_stage(sum, a_at, b_at, lane_row, [&] {
            // Refills the stage that all warps have left by the end of the phase before.
            const int refill = phase + S::stages - 1;
            if (threadIdx.x != 0 || refill >= phases) return;
            if (phase >= 1) {
                barrier_wait(shared_address(&empty[refill % S::stages]),
                             (phase - 1) / S::stages & 1);
            }
            fill(refill);
        });
        __syncwarp();
        if (lane == 0) barrier_arrive(shared_address(&empty[stage]));
    }
    store_rows(sum, c, ldc, m, n, tile.row + row, tile.column + warp_column + lane / 8 * 4, alpha,
               beta);
}

}  // namespace

namespace bulk {

void require(const matmul::Gemm& gemm) {
    lab::require(copies);
    if (!gemm.is_aligned()) {
        throw std::invalid_argument(
            "bulk tensor copies need rows that begin at multiples of 16 bytes");
    }
}

void multiply(const matmul::Gemm& gemm, matmul::Tile tile) {
    require(gemm);
    in_tiles(tile, [&]<int rows, int columns>() {
        launch_on_tiles<Shape<rows, columns>, rows, columns>(
            matmul_bulk<rows, columns>, gemm, depth, box_columns, tiles_of<rows, columns>(gemm));
    });
}

}  // namespace bulk
