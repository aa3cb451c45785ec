// Kernels of chapter 02: vector addition whose reads begin at an offset.
#pragma once

#include <cstddef>

// c[i] = a[i + offset] + b[i + offset]. Both loads of a warp begin `offset` elements further on, the
// store does not move: whatever changes with the offset is the loads' doing. When 4 x offset is no
// multiple of 32, the 128 bytes that a warp reads straddle 5 sectors instead of filling 4.
// The last `offset` elements of c are never written: there is nothing to read for them.
__global__ void read_offset(const float* a, const float* b, float* c, std::size_t n,
                            std::size_t offset) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t k = i + offset;
    if (k < n) c[i] = a[k] + b[k];
}
