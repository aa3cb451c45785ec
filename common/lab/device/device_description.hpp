// What a result must say about the device and the build that made it.
#pragma once

#include "lab/device/backend.hpp"

namespace lab {

// Of CUDA's device 0, a GPU or an emulated one. Throws CudaError.
DeviceDescription describe_device();

}  // namespace lab
