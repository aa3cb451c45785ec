// matmul_balanced: matmul_reuse, with the last wave of tiles divided among all SMs.
#include <cstddef>
#include <cstdint>

#include "bulk.hpp"
#include "bulk_copies.cuh"
#include "reuse_tile.cuh"

namespace {

constexpr int tile_side = 128;
using S = Shape<tile_side, tile_side>;
static_assert(S::shares == 1, "each thread stores its own sums");

constexpr int max_divided = 1024;

// The stages of each divided tile whose products c holds; 0 before a launch and after it. One launch at a time:
// two on different streams would share them.
__device__ unsigned done[max_divided];

// Until another block has published `value`; what it stored before is seen from here on.
__device__ void wait_until_equal(const unsigned* published, unsigned value) {
    unsigned current;
    do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                     : "=r"(current)
                     : "l"(published)
                     : "memory");
    } while (current != value);
}

__device__ void publish(unsigned* published, unsigned value) {
    __threadfence();
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(published), "r"(value) : "memory");
}

// The stages of a divided tile from `work.first` on are multiplied, and stored when those before them have been. Not
// inlined: in the loop over a block's tiles, the assembler would move operands between registers.
__device__ __noinline__ void multiply_part(const Matrices& matrices, Work work, float beta,
                                           Barriers<S>& barriers, const unsigned* stored) {
    multiply_tile<tile_side, tile_side>(matrices, work, barriers, [=] {
        if (work.first == 0) return beta;
        if (threadIdx.x == 0) wait_until_equal(stored, work.first);
        __syncthreads();
        return 1.0f;
    });
}

// Against matmul_reuse: the tiles of the last wave are divided among all blocks that run at a time, by
// stages of k, where the plain order of tiles leaves some SMs idle. The first `whole` blocks have a tile
// each. One wave of further blocks is launched. Each has its part of the stages that are left, in their
// order: the last ones of one tile, the first ones of another, and whole tiles between. It goes through them
// backwards: it stores the first stages of a tile before it waits to add the last ones of another, for the
// block before, which has stored what comes before them. GPUs start blocks in the order of their index, so
// that it never waits for one that cannot run.
__global__ void __launch_bounds__(128, 2)
    matmul_balanced(const __grid_constant__ CUtensorMap a_map,
                    const __grid_constant__ CUtensorMap b_map, int m, int n, int k, float alpha,
                    float beta, float* c, int ldc, dim3 tiles, int whole) {
    const int phases = phases_of<S>(k);
    __shared__ Barriers<S> barriers;
    const Matrices matrices = {&a_map, &b_map, m, n, alpha, c, ldc};
    // In stages of the tiles after the whole ones.
    const int block = blockIdx.x;
    const int pieces = gridDim.x - whole;
    const std::int64_t divided = std::int64_t(tiles.x * tiles.y - whole) * phases;
    int first = 0, last = phases;
    if (block >= whole) {
        first = static_cast<int>(divided * (block - whole) / pieces);
        last = static_cast<int>(divided * (block - whole + 1) / pieces);
    }
#pragma unroll 1
    while (last > first) {
        const int tile = (last - 1) / phases;
        const int begin = max(first - tile * phases, 0);
        const int end = last - tile * phases;
        const int number = block < whole ? block : whole + tile;
        const Work work = {tile_origin<tile_side, tile_side>(number, tiles), begin, end};
        multiply_part(matrices, work, beta, barriers, done + tile);
        last = tile * phases + begin;
        __syncthreads();
        if (threadIdx.x == 0) {
            if (begin > 0 || end < phases) publish(done + tile, end == phases ? 0 : end);
            barriers.invalidate();
        }
        __syncthreads();
    }
}

// Stages of k that make a piece worth its start and its way through c.
constexpr int min_stages = 16;

int count_blocks_at_a_time() {
    int device = 0, processors = 0, blocks = 0;
    LAB_CUDA_CHECK(cudaGetDevice(&device));
    LAB_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    LAB_CUDA_CHECK(cudaFuncSetAttribute(
        matmul_balanced, cudaFuncAttributeMaxDynamicSharedMemorySize, S::shared_bytes));
    LAB_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, matmul_balanced,
                                                                 S::threads, S::shared_bytes));
    return processors * blocks;
}

}  // namespace

namespace balanced {

int blocks_at_a_time() {
    static const int blocks = count_blocks_at_a_time();
    return blocks;
}

int divided_tiles(int tiles, int stages, int pieces) {
    const int left = tiles % pieces;
    if (left == 0 || tiles < pieces || stages < min_stages) return 0;
    const bool pieces_are_long = std::int64_t{left} * stages >= std::int64_t{min_stages} * pieces;
    const int divided = pieces_are_long ? left : left + pieces;
    return divided <= max_divided ? divided : 0;
}

bool improves(const matmul::Gemm& gemm, matmul::Tile tile) {
    if (tile.rows != tile_side || tile.columns != tile_side) return false;
    const dim3 tiles = tiles_of<tile_side, tile_side>(gemm);
    return divided_tiles(tiles.x * tiles.y, lab::blocks_for(std::size_t(gemm.k), depth),
                         blocks_at_a_time()) > 0;
}

void multiply(const matmul::Gemm& gemm, int pieces) {
    bulk::require(gemm);
    const dim3 tiles = tiles_of<tile_side, tile_side>(gemm);
    const int count = tiles.x * tiles.y;
    const int divided = divided_tiles(count, lab::blocks_for(std::size_t(gemm.k), depth), pieces);
    const int whole = count - divided;
    launch_on_tiles<S, tile_side, tile_side>(matmul_balanced, gemm, depth, box_columns,
                                             whole + (divided > 0 ? pieces : 0), tiles, whole);
}

}  // namespace balanced
