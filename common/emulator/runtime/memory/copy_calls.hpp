// Copies and fills as whole functions of the API.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "emulator/runtime/memory/copies.hpp"

namespace emulator::runtime {

cudaError_t copy_now(const Copy& copy);
cudaError_t copy_in_stream(const Copy& copy, cudaStream_t stream);
cudaError_t copy_batch(void* const* to, const void* const* from, const std::size_t* bytes,
                       std::size_t count, cudaStream_t stream);
cudaError_t fill_in_stream(const Fill& fill, cudaStream_t stream);

}  // namespace emulator::runtime
