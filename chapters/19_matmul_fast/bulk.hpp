// The steps whose tiles the hardware copies in bulk. All are asynchronous, and multiply c = alpha a b + beta c. Each throws
// std::invalid_argument where the matrices or their rows do not begin at multiples of 16 bytes, which bulk tensor copies
// ask for, and lab::MissingError where the device has no such copies.
#pragma once

#include "gemm.hpp"
#include "lab/device/variant.hpp"

namespace bulk {

constexpr lab::Feature copies = {9, "bulk tensor copies"};

// In tiles of this shape, one of matmul::tiles.
void multiply(const matmul::Gemm& gemm, matmul::Tile tile);

// Throws the same where they cannot be copied in bulk.
void require(const matmul::Gemm& gemm);

}  // namespace bulk

// Multiply-adds in an order that spares the register file.
namespace reuse {

void multiply(const matmul::Gemm& gemm, matmul::Tile tile);

}  // namespace reuse

// The last step: the last wave of tiles divided among all SMs. One launch at a time, on one device: launches on two
// streams would share their counters.
namespace balanced {

// Blocks that the device runs at a time.
int blocks_at_a_time();

// The number of tiles at the end, of `tiles` with `stages` stages of k each, that `pieces` blocks share: what is more than
// whole waves; with another wave where the pieces would be too short. 0 where nothing is left over.
int divided_tiles(int tiles, int stages, int pieces);

// Whether the last wave in tiles of this shape would leave SMs idle, and can be divided.
bool improves(const matmul::Gemm& gemm, matmul::Tile tile);

// In tiles of 128 x 128, the last of them in so many pieces.
void multiply(const matmul::Gemm& gemm, int pieces);

}  // namespace balanced
