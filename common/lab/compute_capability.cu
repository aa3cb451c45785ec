#include "lab/compute_capability.hpp"

#include <string>

#include "lab/cuda_check.hpp"
#include "lab/errors.hpp"

namespace lab {

bool has_compute_capability(int major) {
    static const int own = [] {
        int device = 0, value = 0;
        LAB_CUDA_CHECK(cudaGetDevice(&device));
        LAB_CUDA_CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, device));
        return value;
    }();
    return own >= major;
}

void require_compute_capability(int major, const char* what) {
    if (has_compute_capability(major)) return;
    throw MissingError(std::string(what) + " need compute capability " + std::to_string(major) +
                       ".0 or newer");
}

}  // namespace lab
