// Host code that dereferences pointers of the GPU: a fault, as with a discrete GPU.
#pragma once

namespace emulator::runtime {

// Before Pascal the host must not access managed memory from a launch on until it has waited for the GPU.
void close_managed_memory();
void open_managed_memory();

}  // namespace emulator::runtime
