// Launches that say more of where blocks lie than a grid does.
#pragma once

#include <cstddef>

#include "lab/cuda_check.hpp"

struct Residency {
    std::size_t unused_bytes =
        0;                 // shared memory that a block asks for and leaves alone: fewer fit an SM
    unsigned cluster = 1;  // so many consecutive blocks begin at once, near each other
};

// Whether an SM has 228 KB of shared memory (compute capability 9.0, 10.0), for which the numbers of
// bytes of this chapter are chosen.
inline bool has_228_kb_per_sm() {
    int device = 0, bytes = 0;
    LAB_CUDA_CHECK(cudaGetDevice(&device));
    LAB_CUDA_CHECK(
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    return bytes == 228 * 1024;
}

// As lab::launch.
template <class... Parameters>
auto launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, Residency residency) {
    if (residency.unused_bytes > 0) {
        LAB_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(residency.unused_bytes)));
    }
    return [=](Parameters... arguments) {
        cudaLaunchAttribute cluster{};
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x = residency.cluster;
        cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
        cudaLaunchConfig_t config{};
        config.gridDim = grid;
        config.blockDim = block;
        config.dynamicSmemBytes = residency.unused_bytes;
        config.attrs = &cluster;
        config.numAttrs = residency.cluster > 1 ? 1 : 0;  // older GPUs have no clusters
        LAB_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
    };
}
