// What the device's generation can do, for kernels that older GPUs do not have.
#pragma once

#include "lab/cuda_check.hpp"

namespace lab {

// Whether its compute capability is `major`.0 or newer. Throws CudaError.
inline bool has_compute_capability(int major) {
    static const int own = [] {
        int device = 0, value = 0;
        LAB_CUDA_CHECK(cudaGetDevice(&device));
        LAB_CUDA_CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, device));
        return value;
    }();
    return own >= major;
}

}  // namespace lab
