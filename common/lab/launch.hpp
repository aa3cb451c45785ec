// launch(kernel, grid, block, shared_bytes)(arguments...): a kernel launch that compiles in both
// worlds; g++ does not know <<< >>>. This is the only place where the two differ in the sources.
#pragma once

#include <cstddef>

#ifdef __CUDACC__
#include "lab/cuda_check.hpp"
#else
#include "emulator/emulated_launch.hpp"
#endif

namespace lab {

// Asynchronous on a GPU. Throws CudaError (GPU) or emulator::Fault and emulator::InvalidLaunch.
// Static: the compilation's own (see emulated_launch.hpp).
template <class... Parameters>
static auto launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes = 0) {
    return [=](Parameters... arguments) {
#ifdef __CUDACC__
        kernel<<<grid, block, shared_bytes>>>(arguments...);
        LAB_CUDA_CHECK(cudaGetLastError());
#else
        emulator::launch_on_current_gpu(kernel, {grid, block, shared_bytes}, arguments...);
#endif
    };
}

// Blocks of `block` threads that cover `n` elements.
inline unsigned blocks_for(std::size_t n, unsigned block) {
    return static_cast<unsigned>((n + block - 1) / block);
}

}  // namespace lab
