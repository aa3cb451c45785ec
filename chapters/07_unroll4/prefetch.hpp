// read_offset_wide with a load that only a GPU has, and nothing that could stand for it elsewhere.
#pragma once

#include <cstddef>

using Kernel = void (*)(const float* a, const float* b, float* c, std::size_t n, std::size_t offset);

// read_offset_wide whose loads make the L2 fetch 256 bytes each time; null on an emulated GPU and on
// GPUs before Ampere.
Kernel prefetching_read_offset_wide();
