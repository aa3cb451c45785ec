// Managed memory: hints where it should lie, which are checked and remembered, and what launches find elsewhere. Nothing
// moves here.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "emulator/simt/state/gpu.hpp"

namespace emulator::runtime {

// Whole API functions.
cudaError_t prefetch(const void* pointer, std::size_t bytes, cudaMemLocation location,
                     unsigned flags, cudaStream_t stream);
cudaError_t advise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                   cudaMemLocation location);

// Bytes that a launch touches and that no launch has touched or prefetch moved before: on a GPU they come by page
// faults. Counts them as moved.
std::uint64_t move_managed_pages(const simt::LaunchRecord& record);

// The same by device number: cudaCpuDeviceId is the host (CUDA 12).
cudaMemLocation location_of(int device);

}  // namespace emulator::runtime
