// Kernels of chapter 26: short ones, because a launch shows beside nothing else.
#pragma once

#include <cooperative_groups.h>

#include <cstddef>

// Nothing: what remains is the launch.
__global__ void do_nothing() {}

// out[i] = 1.23 in[i]: the short kernel of NVIDIA's article on graphs, a few microseconds of 500,000 floats.
__global__ void scale(const float* in, float* out, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 1.23f * in[i];
}

// One step of an iteration: every element becomes the mean of itself and its right neighbour, from one array to another. The
// neighbour may belong to another block, so no block may begin the next step before all have done this one. Volatile:
// what other blocks wrote in the step before must not come from the L1 of this SM.
__device__ inline void step_once(const volatile float* from, float* to, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = 0.5f * (from[i] + from[i + 1 < n ? i + 1 : 0]);
}

// A launch each: its end is the barrier.
__global__ void step(const float* from, float* to, unsigned n) { step_once(from, to, n); }

// A persistent kernel: one launch for all steps, whose blocks wait for each other. All of them have to be resident.
__global__ void steps_persistent(float* one, float* other, unsigned n, unsigned steps) {
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (unsigned done = 0; done < steps; ++done) {
        if (done % 2 == 0) {
            step_once(one, other, n);
        } else {
            step_once(other, one, n);
        }
        grid.sync();
    }
}

// Work on a chunk that a stream has copied to the device: `rounds` multiply-adds an element, in its place.
__global__ void work_on(float* values, std::size_t n, unsigned rounds) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = values[i];
    for (unsigned round = 0; round < rounds; ++round) value = value * 0.5f + 1.0f;
    values[i] = value;
}
