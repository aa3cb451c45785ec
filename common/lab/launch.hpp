// launch(kernel, grid, block, shared_bytes)(arguments...): a kernel launch that is checked.
#pragma once

#include <cstddef>

#include "lab/cuda_check.hpp"

namespace lab {

// Asynchronous. Throws CudaError.
template <class... Parameters>
auto launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes = 0) {
    return [=](Parameters... arguments) {
        kernel<<<grid, block, shared_bytes>>>(arguments...);
        LAB_CUDA_CHECK(cudaGetLastError());
    };
}

// Blocks of `block` threads that cover `n` elements.
inline unsigned blocks_for(std::size_t n, unsigned block) {
    return static_cast<unsigned>((n + block - 1) / block);
}

}  // namespace lab
