// The steps with mma.sync and wgmma.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "lab/device/launch.hpp"
#include "lab/device/variant.hpp"
#include "problems/product.hpp"

namespace tensor {

template <class T>
using Kernel = lab::Launch<const T*, const T*, float*, int, int, int>;

constexpr lab::Feature warp_products = {
    8, "matrix products of a warp (mma.sync) with asynchronous copies"};

// Launches matmul_mma; n and k have to be multiples of 8, else std::invalid_argument.
Kernel<half> plain(lab::ProductShape shape);
Kernel<half> padded(lab::ProductShape shape);
Kernel<half> swizzled(lab::ProductShape shape);
// Launches matmul_mma_staged, for half, nv_bfloat16 and float (TF32).
template <class T>
Kernel<T> staged(lab::ProductShape shape);

// Hopper has these products alone: sm_90a.
constexpr lab::Feature warpgroup_products = {.compute_capability = 9,
                                             .name = "matrix products of a warpgroup (wgmma)",
                                             .is_of_one_generation = true};

// A launch that describes a and b to the copy engine first. Called with a, b, c, m, n and k, as the others are.
template <class T>
struct WarpgroupLaunch {
    void (*kernel)(CUtensorMap a, CUtensorMap b, float* c, int m, int n, int k);
    dim3 grid;

    void operator()(const T* a, const T* b, float* c, int m, int n, int k) const;
    lab::LaunchShape shape() const;
};
// Launch matmul_wgmma and matmul_wgmma_persistent in clusters of 1 or 2 blocks, for half, nv_bfloat16 and float (TF32). Rows of a
// and b have to be multiples of 16 bytes, else std::invalid_argument.
template <class T>
WarpgroupLaunch<T> by_warpgroups(lab::ProductShape shape);
template <class T, int blocks>
WarpgroupLaunch<T> persistent(lab::ProductShape shape);

}  // namespace tensor
