// matmul_reuse: matmul_bulk, with the multiply-adds in an order that spares the register file.
#include "bulk.hpp"
#include "bulk_copies.cuh"
#include "reuse_tile.cuh"

namespace {

// c = alpha a b + beta c. Against matmul_bulk: the multiply-adds go through the rows in serpentines. In
// a clock each of the two banks of registers, the even and the odd, delivers one operand; of a
// multiply-add's three, one has to be kept from the multiply-add before, and the others have to lie in
// different banks. The loop is small: its machine code stays in the instruction cache, and what is read in
// a pass is multiplied in the same pass. In small tiles warps share k, not c: 8 x 16 elements per thread
// there, too.
template <int tile_rows, int tile_columns>
__global__ void __launch_bounds__(128, 2)
    matmul_reuse(const __grid_constant__ CUtensorMap a_map,
                 const __grid_constant__ CUtensorMap b_map, int m, int n, int k, float alpha,
                 float beta, float* c, int ldc) {
    const int phases = phases_of<Shape<tile_rows, tile_columns>>(k);
    const TileOrigin tile =
        tile_origin<tile_rows, tile_columns>(blockIdx.y * gridDim.x + blockIdx.x, gridDim);
    __shared__ Barriers<Shape<tile_rows, tile_columns>> barriers;
    multiply_tile<tile_rows, tile_columns>({&a_map, &b_map, m, n, alpha, c, ldc}, {tile, 0, phases},
                                           barriers, [=] { return beta; });
}

}  // namespace

namespace reuse {

void multiply(const matmul::Gemm& gemm, matmul::Tile tile) {
    bulk::require(gemm);
    in_tiles(tile, [&]<int rows, int columns>() {
        launch_on_tiles<Shape<rows, columns>, rows, columns>(
            matmul_reuse<rows, columns>, gemm, depth, box_columns, tiles_of<rows, columns>(gemm));
    });
}

}  // namespace reuse
