// Whether device memory holds the same bytes over and over: outputs are too large to be read back for it.
#pragma once

#include <cstddef>

namespace lab::backend {

// Whether the bytes at `data` are the `period` bytes at `expected` over and over, from the one at
// `phase` on; both in device memory.
bool repeats(const void* data, std::size_t bytes, const void* expected, std::size_t period,
             std::size_t phase);

}  // namespace lab::backend
