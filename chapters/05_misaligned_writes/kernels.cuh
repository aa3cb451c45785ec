// Kernels of chapter 05: stores that begin at an offset.
#pragma once

#include <cstddef>

// c[i + offset] = a[i] + b[i]. The mirror of chapter 02's kernel: the loads do not move, the 128
// bytes that a warp stores begin `offset` elements further on. Where 4 x offset is no multiple of
// 32 they straddle 5 sectors instead of filling 4. The first `offset` elements of c are never
// written.
__global__ void write_offset(const float* a, const float* b, float* c, std::size_t n,
                             std::size_t offset) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t k = i + offset;
    if (k < n) c[k] = a[i] + b[i];
}

// The stores alone: without loads beside them nothing dilutes what their offset costs.
__global__ void fill_offset(float value, float* c, std::size_t n, std::size_t offset) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t k = i + offset;
    if (k < n) c[k] = value;
}

// write_offset by the lanes first_lane to last_lane of each warp alone: the sectors of that part of
// a request can be counted apart, those before a 128-byte boundary and those behind it.
__global__ void write_lanes(const float* a, const float* b, float* c, std::size_t n,
                            std::size_t offset, unsigned first_lane, unsigned last_lane) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t k = i + offset;
    const unsigned lane = threadIdx.x % 32;
    if (k < n && first_lane <= lane && lane <= last_lane) c[k] = a[i] + b[i];
}
