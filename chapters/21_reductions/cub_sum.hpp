// CUB's sum of an array: what the chapter's kernels are compared with.
#pragma once

#include <cstddef>

// Device memory that cub_sum needs for n elements.
std::size_t cub_sum_bytes(int n);
// sums[0] = the sum of in[0] to in[n - 1]; asynchronous. Two kernels, for small n one. Throws CudaError.
void cub_sum(const float* in, int n, float* sums, void* memory, std::size_t bytes);
