#include "lab/compute_capability.hpp"

#include <cstdio>
#include <set>
#include <string>

#include "lab/cuda_check.hpp"
#include "lab/errors.hpp"

namespace lab {

namespace {

bool is_at_least(int major) {
    static const int own = [] {
        int device = 0, value = 0;
        LAB_CUDA_CHECK(cudaGetDevice(&device));
        LAB_CUDA_CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, device));
        return value;
    }();
    return own >= major;
}

std::string need(const char* what, int major) {
    return std::string(what) + " need compute capability " + std::to_string(major) + ".0 or newer";
}

// Whether `has`; where not, one line says once which rows are left out.
bool noted(bool has, const char* what, int major) {
    static std::set<std::string> said;
    if (!has && said.insert(what).second) {
        std::fprintf(stderr, "rows left out: %s\n", need(what, major).c_str());
    }
    return has;
}

}  // namespace

bool has_compute_capability(int major, const char* what) {
    return noted(is_at_least(major), what, major);
}

bool is_compiled_for(const void* kernel, int major, const char* what) {
    cudaFuncAttributes attributes{};
    LAB_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    return noted(attributes.ptxVersion >= 10 * major, what, major);
}

void require_compute_capability(int major, const char* what) {
    if (!is_at_least(major)) throw MissingError(need(what, major));
}

}  // namespace lab
