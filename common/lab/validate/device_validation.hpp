// Comparison of an output with the reference where both are in device memory.
#pragma once

#include <cstddef>

#include "lab/device/device_buffer.hpp"

namespace lab {

// A part of a buffer, in elements.
struct Part {
    std::size_t begin, count;
};

// Throws ValidationError as expect_same_bits does unless the part of `actual` is `expected` over
// and over from its element `phase` on: poison_value() where the kernel has to leave the element
// alone. The comparison runs on the device; elements are read back only to say what is wrong.
// Instantiated for the types of expect_near.
template <class T>
void expect_repeats(const DeviceBuffer<T>& actual, Part part, const DeviceBuffer<T>& expected,
                    std::size_t phase = 0);

// Throws ValidationError as expect_untouched does unless the part still is poison.
template <class T>
void expect_untouched(const DeviceBuffer<T>& actual, Part part);

}  // namespace lab
