// A result's description of the device and of the build that made it.
#pragma once

#include "lab/device/backend.hpp"

namespace lab {

// Describes CUDA's device 0, a GPU or an emulated one. Throws CudaError.
DeviceDescription describe_device();

}  // namespace lab
