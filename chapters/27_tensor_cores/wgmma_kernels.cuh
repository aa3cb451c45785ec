// Kernels of chapter 27 with wgmma, Hopper's products of a warpgroup. A block's first warpgroup only asks for copies, two multiply.
#pragma once

#include <cooperative_groups.h>
#include <cuda.h>

#include "wgmma_parts.cuh"

namespace tensor::warpgroups {

constexpr int threads = 384, stages = 4, row_bytes = 128;

// FP16 and BF16: c = a b. TF32, which wants both operands along k: the transpose of c is that of b times that of a; a's rows are
// along k, b's elements pass through registers. The left operand has 128 rows a block, 64 a consumer; the right one 256 columns.
template <class T>
constexpr bool is_turned = sizeof(T) == 4;
constexpr int left_side = 128, right_side = 256;

// A stage's tiles in shared memory: boxes of 128 rows of a; boxes of `depth` rows of b. Each row has 128 bytes.
template <class T>
struct Stage {
    static constexpr int depth = row_bytes / sizeof(T);  // of k; also the columns of a box of b
    static constexpr int a_rows = is_turned<T> ? right_side : left_side;
    static constexpr int b_columns = is_turned<T> ? left_side : right_side;
    static constexpr int a_boxes = a_rows / 128, b_boxes = b_columns / depth;
    static constexpr int a_box = 128 * row_bytes, b_box = depth * row_bytes;  // bytes
    static constexpr int b_offset = a_boxes * a_box;
};
constexpr int tile_bytes = (left_side + right_side) * row_bytes;
constexpr int shared_bytes =
    stages * tile_bytes + 1024;  // 1024: for the alignment of swizzled tiles

// Shared memory: tiles, and two barriers of each stage. full: its copies have arrived; empty: all consumers have read it.
struct Ring {
    std::uint32_t tiles, full, empty;
};
// Where a warp is in the ring. A barrier's phases have parities in turn.
struct Place {
    int stage = 0, parity = 0;

    __device__ void advance() {
        stage = (stage + 1) % stages;
        if (stage == 0) parity ^= 1;
    }
};

template <int blocks>
__device__ Ring make_ring() {
    extern __shared__ char shared[];
    __shared__ std::uint64_t full[stages], empty[stages];
    const Ring ring = {(shared_address(shared) + 1023) / 1024 * 1024, shared_address(full),
                       shared_address(empty)};
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < stages; ++stage) {
            barrier_init(ring.full + 8 * stage, 1);
            barrier_init(ring.empty + 8 * stage, 8 * blocks);  // the consumers' warps
        }
        publish_barriers();
    }
    return ring;
}

struct Position {
    int row, column;  // of c
};

// One thread: the tiles of all phases for one tile of c. Blocks of a cluster have their own rows of the left operand; the right operand
// is the same, so each asks for its part of the boxes, for both.
template <class T, int blocks>
__device__ void copy_tiles(const Ring& ring, Place& place, const CUtensorMap* a,
                           const CUtensorMap* b, Position c, int phases, int rank) {
    using Here = Stage<T>;
    constexpr int of_a = is_turned<T> ? blocks : 1, of_b = is_turned<T> ? 1 : blocks;
    const int a_first = of_a == 1 ? 0 : rank * Here::a_boxes / blocks;
    const int b_first = of_b == 1 ? 0 : rank * Here::b_boxes / blocks;
    for (int phase = 0; phase < phases; ++phase, place.advance()) {
        const std::uint32_t full = ring.full + 8 * place.stage;
        const std::uint32_t to = ring.tiles + place.stage * tile_bytes;
        barrier_wait(ring.empty + 8 * place.stage, place.parity ^ 1);
        barrier_expect(full, tile_bytes);
        for (int i = a_first; i < a_first + Here::a_boxes / of_a; ++i) {
            copy_to_blocks<of_a>(to + i * Here::a_box, a, c.row + 128 * i, phase * Here::depth,
                                 full);
        }
        for (int i = b_first; i < b_first + Here::b_boxes / of_b; ++i) {
            copy_to_blocks<of_b>(to + Here::b_offset + i * Here::b_box, b, phase * Here::depth,
                                 c.column + Here::depth * i, full);
        }
    }
}

// A warp has read a stage: its block's producer and the other one's may fill it.
template <int blocks>
__device__ void release(const Ring& ring, int stage) {
    if (threadIdx.x % 32 != 0) return;
    barrier_arrive(ring.empty + 8 * stage);
    if constexpr (blocks == 2) {
        const int other = cooperative_groups::this_cluster().block_rank() ^ 1;
        barrier_arrive_at(ring.empty + 8 * stage, other);
    }
}

// The first of two columns of c, neighbours, whose sums a thread has of c's transpose: rows g and g + 8 of its fragment. In this order
// half a warp reads all 32 banks once (8 bytes a lane, pieces swizzled), and a warp writes whole sectors of c.
__device__ inline int column_of_thread() {
    const int warp = threadIdx.x / 32 % 4, group = threadIdx.x % 32 / 4;
    return 32 * (warp / 2) + 16 * (group / 2 % 2) + 8 * (warp % 2) + 4 * (group / 4) +
           2 * (group % 2);
}

// b's elements of a step, 8 of k deep: rows t and t + 4, two columns each.
__device__ inline void load_left(float (&left)[4], std::uint32_t tile, int column, int step) {
    const int row = 8 * step + threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const int piece = column % 32 / 4 ^ (row + 4 * i) % 8;
        const std::uint32_t from = tile + column / 32 * Stage<float>::b_box +
                                   (row + 4 * i) * row_bytes + 16 * piece + 4 * (column % 4);
        asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];"
                     : "=f"(left[2 * i]), "=f"(left[2 * i + 1])
                     : "r"(from)
                     : "memory");
    }
}

// sums: a consumer's 64 of the block's 128 rows of the left operand. A stage is given back when the products of the next are under way, so that
// the tensor cores never wait.
template <class T, int blocks>
__device__ void multiply_tiles(float (&sums)[128], const Ring& ring, Place& place, int phases,
                               int consumer) {
    using Here = Stage<T>;
    constexpr int steps = 4, step_bytes = row_bytes / steps;
    int previous = 0;
    for (int phase = 0; phase < phases; ++phase, place.advance()) {
        const std::uint32_t tiles = ring.tiles + place.stage * tile_bytes;
        barrier_wait(ring.full + 8 * place.stage, place.parity);
        if constexpr (is_turned<T>) {
            float left[2][4];
            const int column = 64 * consumer + column_of_thread();
            load_left(left[0], tiles + Here::b_offset, column, 0);
#pragma unroll
            for (int step = 0; step < steps; ++step) {
                begin_products();
                multiply_registers(sums, left[step % 2], operand(tiles + step * step_bytes),
                                   phase + step > 0);
                commit_products();
                await_products_but<1>();
                if (step == 0 && phase > 0) release<blocks>(ring, previous);
                if (step + 1 < steps)
                    load_left(left[(step + 1) % 2], tiles + Here::b_offset, column, step + 1);
            }
        } else {
            constexpr int k_of_step = 16;
            begin_products();
#pragma unroll
            for (int step = 0; step < steps; ++step) {
                multiply_shared<T>(
                    sums, operand(tiles + 64 * consumer * row_bytes + step * step_bytes),
                    operand(tiles + Here::b_offset + step * k_of_step * row_bytes, Here::b_box),
                    phase + step > 0);
            }
            commit_products();
            await_products_but<1>();
            if (phase > 0) release<blocks>(ring, previous);
        }
        previous = place.stage;
    }
    await_products_but<0>();
    release<blocks>(ring, previous);
}

// Element 4 j + i of a thread's sums: row g + 8 (i / 2), column 8 j + 2 t + i % 2 of the fragment. n is even.
template <class T>
__device__ void store_sums(const float (&sums)[128], float* c, int m, int n, Position tile,
                           int consumer) {
    const int warp = threadIdx.x / 32 % 4, group = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const auto store = [&](int row, int column, float first, float second) {
        if (row >= m || column >= n) return;
        *reinterpret_cast<float2*>(c + static_cast<long long>(row) * n + column) = {first, second};
    };
#pragma unroll
    for (int j = 0; j < right_side / 8; ++j) {
        const float* const of = &sums[4 * j];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            if constexpr (is_turned<T>) {
                store(tile.row + 8 * j + 2 * t + i,
                      tile.column + 64 * consumer + column_of_thread(), of[i], of[2 + i]);
            } else {
                store(tile.row + 64 * consumer + 16 * warp + group + 8 * i,
                      tile.column + 8 * j + 2 * t, of[2 * i], of[2 * i + 1]);
            }
        }
    }
}

// Tiles of c for clusters, one for each block, beside each other along the left operand; in groups of 16 tiles along it. Tiles that
// run at the same time share rows and columns in the L2.
template <class T, int blocks>
struct Tiles {
    static constexpr int group = 16 / blocks;  // clusters
    int lefts, rights;

    __device__ Tiles(int m, int n) {
        const int left = is_turned<T> ? n : m, right = is_turned<T> ? m : n;
        lefts = (left + blocks * left_side - 1) / (blocks * left_side);
        rights = (right + right_side - 1) / right_side;
    }
    __device__ int count() const { return lefts * rights; }
    __device__ Position of_block(int tile, int rank) const {
        const int first = tile / (group * rights) * group, of_group = min(group, lefts - first);
        const int in_group = tile % (group * rights);
        const int left = (blocks * (first + in_group % of_group) + rank) * left_side;
        const int right = in_group / of_group * right_side;
        return is_turned<T> ? Position{right, left} : Position{left, right};
    }
};

// Against matmul_mma_staged: wgmma reads its operands from shared memory, and 64 x 256 elements at a time, so a loaded byte serves more
// products; tiles come by the copy engine, which one thread asks; the other warps do nothing but multiply. Rows of a and b
// are multiples of 16 bytes.
template <class T>
__global__ void __launch_bounds__(threads, 1)
    matmul_wgmma(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                 float* c, int m, int n, int k) {
    using Here = Stage<T>;
    const Ring ring = make_ring<1>();
    const Position tile = Tiles<T, 1>(m, n).of_block(blockIdx.x, 0);
    const int phases = (k + Here::depth - 1) / Here::depth, consumer = threadIdx.x / 128 - 1;
    Place place;
    __syncthreads();
    if (consumer < 0) {
        give_registers_back();
        if (threadIdx.x == 0) copy_tiles<T, 1>(ring, place, &a, &b, tile, phases, 0);
    } else {
        take_registers();
        float sums[128];
        multiply_tiles<T, 1>(sums, ring, place, phases, consumer);
        store_sums<T>(sums, c, m, n, tile, consumer);
    }
}

// Against matmul_wgmma: as many blocks as the GPU holds, and each goes on to its next tile, whose copies begin while the last one is
// stored. Two blocks: clusters of two also fetch half of the right operand each, for both.
template <class T, int blocks>
__global__ void __cluster_dims__(blocks, 1, 1) __launch_bounds__(threads, 1)
    matmul_wgmma_persistent(const __grid_constant__ CUtensorMap a,
                            const __grid_constant__ CUtensorMap b, float* c, int m, int n, int k) {
    using Here = Stage<T>;
    const auto cluster = cooperative_groups::this_cluster();
    const int rank = cluster.block_rank(), first = blockIdx.x / blocks, step = gridDim.x / blocks;
    const Tiles<T, blocks> tiles(m, n);
    const Ring ring = make_ring<blocks>();
    const int phases = (k + Here::depth - 1) / Here::depth, consumer = threadIdx.x / 128 - 1;
    Place place;
    // The other block's barriers are ready.
    cluster.sync();
    if (consumer < 0) {
        give_registers_back();
        if (threadIdx.x == 0) {
            for (int i = first; i < tiles.count(); i += step)
                copy_tiles<T, blocks>(ring, place, &a, &b, tiles.of_block(i, rank), phases, rank);
        }
    } else {
        take_registers();
        float sums[128];
        for (int i = first; i < tiles.count(); i += step) {
            multiply_tiles<T, blocks>(sums, ring, place, phases, consumer);
            store_sums<T>(sums, c, m, n, tiles.of_block(i, rank), consumer);
        }
    }
    // A block's shared memory stays until the other one has arrived at its barriers.
    cluster.sync();
}

}  // namespace tensor::warpgroups
