// The last step: the last wave of tiles divided among all SMs. One launch at a time, on one device: launches on two
// streams would share their counters.
#pragma once

#include "gemm.hpp"

namespace balanced {

// Blocks that the device runs at a time.
int blocks_at_a_time();

// Of `tiles` tiles with `stages` stages of k each, those at the end that `pieces` blocks share: what is more than
// whole waves; with another wave where the pieces would be too short. 0 where nothing is left over.
int divided_tiles(int tiles, int stages, int pieces);

// Whether the last wave in tiles of this shape would leave SMs idle, and can be divided.
bool improves(const matmul::Gemm& gemm, matmul::Tile tile);

// As bulk::multiply, in tiles of 128 x 128, the last of them in so many pieces.
void multiply(const matmul::Gemm& gemm, int pieces);

}  // namespace balanced
