// Rows of kernels that add two arrays.
#pragma once

#include "lab/device/launch.hpp"
#include "lab/experiment/variant_name.hpp"
#include "problems/array_sum.hpp"

namespace lab {

// "kernel/offset:…/block:…/n:…/cache:…", launched in blocks of `block` threads; each thread adds `per_thread` elements.
inline Variant sum_row(const std::string& kernel, AddKernel code, const ArraySum& arrays,
                       std::size_t offset, unsigned block, Cache cache, unsigned per_thread = 1) {
    return arrays.row(variant_name(kernel, {{"offset", offset}, {"block", block}}), offset, cache,
                      launch(code, blocks_for(arrays.size(), block * per_thread), block));
}

}  // namespace lab
