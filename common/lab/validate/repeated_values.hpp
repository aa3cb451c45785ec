// Large inputs without a large host array: a few values, over and over.
#pragma once

#include <cstddef>
#include <vector>

#include "lab/device/device_buffer.hpp"

namespace lab {

// How many values a large input repeats: the words of whole warps, so that what each warp does to
// its own repeats with them; and 32 times a prime (2^17 - 1), so that no stride of a kernel falls in
// step.
constexpr std::size_t period = 32 * 131071;

// `n` elements in device memory: `values` from the first on, over and over; not filled
// by a predicted launch. Instantiated for float and std::uint8_t.
template <class T>
DeviceBuffer<T> repeated(const std::vector<T>& values, std::size_t n);

}  // namespace lab
