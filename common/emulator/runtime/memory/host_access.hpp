// Host code that dereferences pointers of the GPU: a fault, as with a discrete GPU.
#pragma once

#include "emulator/simt/state/gpu.hpp"

namespace emulator::runtime {

// From a launch on until it has waited for the GPU, before Pascal the host must not access managed memory. Later what the
// launch has written may be old or new: a hazard, where these are checked.
void close_managed_memory(const simt::LaunchRecord& record);
void open_managed_memory();

}  // namespace emulator::runtime
