#include <cstdint>

#include "inline_ptx.hpp"
#include "lab/device/compute_capability.hpp"
#include "lab/device/copy_engine.cuh"
#include "lab/device/launch.hpp"
#include "lab/device/tensor_map.hpp"

namespace {

// The kernels' order of tiles and vectors, compiled again.
#include "kernels.cuh"

// 16 bytes of a row lie in a piece, 8 pieces in the 128 bytes that a swizzle spans. A tile has two such
// boxes side by side, and as many rows as elements in a row.
constexpr unsigned pieces = 8;
template <class T>
constexpr unsigned elements = 16 / sizeof(T);
template <class T>
constexpr unsigned side = 2 * pieces * elements<T>;

// Shared memory that a block asks for and leaves alone, so that an SM of compute capability 9.0 holds four
// of them: with eight the transpose is slower.
template <class T>
constexpr unsigned unused_bytes = 46 * 1024 - 2 * side<T> * pieces * 16;

// A box of the matrix to shared memory; zeros for what lies outside. The L2 evicts it last, as in evict_last.cu.
__device__ void load_box(void* to, const CUtensorMap* matrix, unsigned column, unsigned row,
                         std::uint32_t barrier) {
    asm volatile(
        "{\n"
        ".reg .b64 policy;\n"
        "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n"
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
        " [%0], [%1, {%2, %3}], [%4], policy;\n"
        "}" ::"r"(shared_address(to)),
        "l"(matrix), "r"(column), "r"(row), "r"(barrier)
        : "memory");
}

// The way back: what lies outside of the matrix is left out.
__device__ void store_box(const void* from, const CUtensorMap* matrix, unsigned column,
                          unsigned row) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(matrix),
        "r"(column), "r"(row), "r"(shared_address(from))
        : "memory");
}

// Until the shared memory may be given back: all of it has been read.
__device__ void finish_stores() {
    asm volatile(
        "cp.async.bulk.commit_group;\n"
        "cp.async.bulk.wait_group.read 0;" ::
            : "memory");
}

// Against transpose_vectors: no thread addresses global memory. One asks the copy engine for two boxes
// of 128 bytes a row and, when the tile is turned, for two of the output. The engine swizzles: piece p
// of row r lies at p ^ (r % 8). Eight lanes take squares of a diagonal, j = 0 ... 7 and i = j ^ d: they
// read eight different pieces and leave eight different ones, both without a conflict. The tile is
// turned in place, so that a block needs no second tile.
template <class T>
__global__ void __launch_bounds__(256) transpose_tensor(const __grid_constant__ CUtensorMap in,
                                                        const __grid_constant__ CUtensorMap out) {
    constexpr unsigned V = elements<T>, half = side<T> / 2;
    __shared__ __align__(1024) Vector<T> tile[2][side<T>][pieces];
    __shared__ std::uint64_t barrier;
    const std::uint32_t copied = shared_address(&barrier);
    const Tile place = tile_of_block<Order::down>(0);
    const unsigned x = place.column * side<T>, y = place.row * side<T>;
    if (threadIdx.x == 0) {
        barrier_init(copied, 1);
        publish_barriers();
        barrier_expect(copied, sizeof tile);
        for (unsigned box = 0; box < 2; ++box) load_box(tile[box], &in, x + box * half, y, copied);
    }
    const unsigned right = threadIdx.x / 128, lower = threadIdx.x / 64 % 2;
    const unsigned j = threadIdx.x % 8, i = threadIdx.x / 8 % 8 ^ j;
    __syncthreads();
    barrier_wait(copied, 0);
    Vector<T> row[V];
#pragma unroll
    for (unsigned k = 0; k < V; ++k) {
        row[k] = tile[right][lower * half + i * V + k][j ^ (i * V + k) % 8];
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < V; ++k) {
        Vector<T> column;
#pragma unroll
        for (unsigned l = 0; l < V; ++l) column.element[l] = row[l].element[k];
        tile[lower][right * half + j * V + k][i ^ (j * V + k) % 8] = column;
    }
    publish_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned box = 0; box < 2; ++box) store_box(tile[box], &out, y + box * half, x);
        finish_stores();
    }
}

template <class T>
constexpr CUtensorMapDataType data_type = sizeof(T) == 2   ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                          : sizeof(T) == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                                           : CU_TENSOR_MAP_DATA_TYPE_FLOAT64;

template <class T>
CUtensorMap tensor_map(const T* matrix, std::size_t rows, std::size_t columns) {
    return lab::tensor_map({.type = data_type<T>,
                            .data = matrix,
                            .rows = rows,
                            .columns = columns,
                            .stride_bytes = columns * sizeof(T),
                            .box_rows = side<T>,
                            .box_columns = side<T> / 2,
                            .swizzle = CU_TENSOR_MAP_SWIZZLE_128B});
}

}  // namespace

template <class T>
void transpose_by_tensor_copies(const T* in, T* out, std::size_t rows, std::size_t columns) {
    lab::require(tensor_copies);
    const unsigned beside = lab::blocks_for(columns, side<T>);
    const unsigned layers = lab::blocks_for(beside, 65535);
    const dim3 grid(lab::blocks_for(rows, side<T>), lab::blocks_for(beside, layers), layers);
    lab::launch(transpose_tensor<T>, grid, 256, unused_bytes<T>)(tensor_map(in, rows, columns),
                                                                 tensor_map(out, columns, rows));
}

template void transpose_by_tensor_copies(const std::uint16_t*, std::uint16_t*, std::size_t,
                                         std::size_t);
template void transpose_by_tensor_copies(const float*, float*, std::size_t, std::size_t);
template void transpose_by_tensor_copies(const double*, double*, std::size_t, std::size_t);
