// launch(kernel, grid, block, shared_bytes)(arguments...): a kernel launch that is checked.
#pragma once

#include <cstddef>

#include "lab/device/cuda_check.hpp"
#include "lab/device/variant.hpp"

namespace lab {

// A launch without its arguments: called with them, it is asynchronous and throws CudaError.
template <class... Parameters>
struct Launch {
    void (*kernel)(Parameters...);
    dim3 grid, block;
    std::size_t shared_bytes;

    void operator()(Parameters... arguments) const {
        kernel<<<grid, block, shared_bytes>>>(arguments...);
        LAB_CUDA_CHECK(cudaGetLastError());
    }
    LaunchShape shape() const {
        return {{grid.x, grid.y, grid.z},
                std::size_t{block.x} * block.y * block.z,
                shared_bytes,
                reinterpret_cast<const void*>(kernel)};
    }
};

template <class... Parameters>
Launch<Parameters...> launch(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                             std::size_t shared_bytes = 0) {
    return {kernel, grid, block, shared_bytes};
}

// Blocks of `block` threads that cover `n` elements.
inline unsigned blocks_for(std::size_t n, unsigned block) {
    return static_cast<unsigned>((n + block - 1) / block);
}
// Blocks that cover a matrix whose elements are `across` in the x direction of the grid and `down` in y.
inline dim3 grid_over(std::size_t across, std::size_t down, dim3 block) {
    return dim3(blocks_for(across, block.x), blocks_for(down, block.y));
}

}  // namespace lab
