// Large inputs without a large host array: a few values, over and over.
#pragma once

#include <cstddef>
#include <vector>

#include "lab/device_buffer.hpp"

namespace lab {

// How many values a large input repeats. A prime: no stride of a kernel falls in step with it.
constexpr std::size_t period = 4194301;

// `n` elements in device memory: `values` from the first on, over and over.
DeviceBuffer<float> repeated(const std::vector<float>& values, std::size_t n);

}  // namespace lab
