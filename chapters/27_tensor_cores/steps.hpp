// The steps with mma.sync.
#pragma once

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

}  // namespace tensor
