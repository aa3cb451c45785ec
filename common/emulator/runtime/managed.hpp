// Hints on managed memory: where it should lie. Nothing moves here, so they are checked and remembered.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace emulator::runtime {

// Whole API functions.
cudaError_t prefetch(const void* pointer, std::size_t bytes, cudaMemLocation location,
                     unsigned flags, cudaStream_t stream);
cudaError_t advise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                   cudaMemLocation location);

// The same by device number: cudaCpuDeviceId is the host (CUDA 12).
cudaMemLocation location_of(int device);

}  // namespace emulator::runtime
