// Copies and fills of up to three dimensions, in bytes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace emulator::runtime {

struct Copy {
    void* to = nullptr;
    const void* from = nullptr;
    std::size_t bytes = 0;  // of each row
    std::size_t to_pitch = 0, from_pitch = 0, to_slice = 0, from_slice = 0;
    std::size_t rows = 1, slices = 1;
    cudaMemcpyKind kind = cudaMemcpyDefault;
};

struct Fill {
    void* to = nullptr;
    unsigned value = 0;
    unsigned element_bytes = 1;
    std::size_t width = 0;  // elements of each row
    std::size_t pitch = 0, slice = 0;
    std::size_t rows = 1, slices = 1;
};

// Throw ApiError.
void require_kind(cudaMemcpyKind kind);
void check_copy(const Copy& copy);
void check_fill(const Fill& fill);

// Throws ApiError.
Copy copy_of(const cudaMemcpy3DParms& asked);

void execute(const Copy& copy);
// Whether copies of kind cudaMemcpyDeviceToDevice move nothing from now on, and only take their time.
void skip_device_copies(bool wanted);
void execute(const Fill& fill);

}  // namespace emulator::runtime
