// CUDA arrays: rows of texels, stored in plain row order.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

struct cudaArray {
    cudaChannelFormatDesc format{};
    cudaExtent extent{};  // in elements, 0 for dimensions that are not there
    unsigned flags = 0;
    std::size_t element_bytes = 0;
    std::size_t pitch = 0;  // bytes from row to row
    char* data = nullptr;

    std::size_t rows() const { return extent.height == 0 ? 1 : extent.height; }
    std::size_t slices() const { return extent.depth == 0 ? 1 : extent.depth; }
    std::size_t slice() const { return pitch * rows(); }
};

namespace emulator::runtime {

// Throws ApiError (cudaErrorInvalidResourceHandle).
cudaArray& require_array(cudaArray_const_t array);

// Bytes of an element; throws ApiError (cudaErrorInvalidChannelDescriptor).
std::size_t element_bytes(const cudaChannelFormatDesc& format);

void release_arrays();
void release_textures();

}  // namespace emulator::runtime
