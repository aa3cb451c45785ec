// CUB's histogram of bytes: what the chapter's kernels are compared with.
#pragma once

#include <cstddef>
#include <cstdint>

// Device memory that cub_histogram needs for n bytes.
std::size_t cub_histogram_bytes(int n);
// bins[v] = how many of in[0] to in[n - 1] are v, for 256 bins; asynchronous. Two kernels. Throws CudaError.
void cub_histogram(const std::uint8_t* in, int n, unsigned* bins, void* memory, std::size_t bytes);
