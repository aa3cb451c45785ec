// Launches that say more of where blocks lie than a grid does.
#pragma once

#include <cstddef>

#include "lab/device/cuda_check.hpp"

struct Residency {
    // Blocks that an SM of 228 KB of shared memory holds, because each takes so many bytes of it; 0: as many as fit.
    unsigned blocks_per_sm = 0;
    std::size_t block_bytes = 0;
    unsigned cluster = 1;  // so many consecutive blocks begin at once, near each other
};

inline int device_attribute(cudaDeviceAttr attribute) {
    int device = 0, value = 0;
    LAB_CUDA_CHECK(cudaGetDevice(&device));
    LAB_CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
    return value;
}

// Whether an SM has 228 KB of shared memory (compute capability 9.0, 10.0), for which the numbers of
// bytes of this chapter are chosen.
inline bool has_228_kb_per_sm() {
    return device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) == 228 * 1024;
}

// As lab::launch. What a block takes beside the kernel's own shared memory, it leaves alone. A GPU without clusters does
// without.
template <class... Parameters>
auto launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, Residency residency) {
    std::size_t unused_bytes = 0;
    if (residency.block_bytes > 0) {
        cudaFuncAttributes attributes{};
        LAB_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
        unused_bytes = residency.block_bytes - attributes.sharedSizeBytes;
        LAB_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(unused_bytes)));
    }
    const bool in_clusters =
        residency.cluster > 1 && device_attribute(cudaDevAttrClusterLaunch) != 0;
    return [=](Parameters... arguments) {
        cudaLaunchAttribute cluster{};
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x = residency.cluster;
        cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
        cudaLaunchConfig_t config{};
        config.gridDim = grid;
        config.blockDim = block;
        config.dynamicSmemBytes = unused_bytes;
        config.attrs = &cluster;
        config.numAttrs = in_clusters ? 1 : 0;
        LAB_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
    };
}
