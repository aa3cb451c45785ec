// The one device of the emulated runtime, and what its generation allows.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "emulator/models/architecture.hpp"
#include "emulator/simt/state/gpu.hpp"

namespace emulator::runtime {

// The GPU is that which the environment names. Created at the first use, and again after a reset.
simt::Gpu& gpu();
void reset_device();
const Architecture& architecture();

// Throws ApiError (cudaErrorInvalidDevice) for any device but 0.
void require_device(int device);

std::string device_name();  // "Emulated H200 SXM"

// Limits of a compute capability that the table of architectures does not have; from the CUDA C++
// Programming Guide, "Compute Capabilities".
struct DeviceLimits {
    unsigned max_grid_y = 65535, max_grid_z = 65535;
    unsigned max_block_x = 1024, max_block_y = 1024, max_block_z = 64;
    unsigned registers_per_block = 65536;
    std::size_t shared_bytes_per_block = 49152;         // without opting in
    std::size_t shared_bytes_per_block_opt_in = 49152;  // with
    std::size_t constant_bytes = 65536;
    std::size_t parameter_bytes = 4096;  // of a kernel
    bool can_launch_cooperatively = false, has_clusters = false;
};
const DeviceLimits& device_limits();

// cudaDeviceSetLimit's values.
struct Limits {
    std::size_t stack_bytes = 1024, printf_fifo_bytes = 1 << 20, heap_bytes = 8 << 20;
};
Limits& limits();

// cudaDeviceSetSharedMemConfig's value.
cudaSharedMemConfig& shared_config();
// Whether a launch has shared memory's banks in their eight-byte mode: as its function asks, or else the device.
bool has_widest_banks(cudaSharedMemConfig of_function);
// Throws ApiError for no value of that type.
void require_valid(cudaSharedMemConfig config);

// Says that a function is not supported and returns cudaErrorNotSupported.
int refuse_call(const char* function);

// The output of kernels is collected, and appears on stdout when the host waits for them.
void add_printed(const std::string& text);
void flush_printed();

}  // namespace emulator::runtime
