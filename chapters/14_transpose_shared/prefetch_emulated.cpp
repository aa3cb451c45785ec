#include <cstdint>

#include "prefetch.hpp"

// Inline PTX does not run on an emulated GPU.
template <class T>
TransposeKernel<T> prefetching_transpose() {
    return nullptr;
}

template TransposeKernel<std::uint16_t> prefetching_transpose();
template TransposeKernel<float> prefetching_transpose();
template TransposeKernel<double> prefetching_transpose();
