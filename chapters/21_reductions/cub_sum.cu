// A source of its own: CUB's headers take nvcc longer than the rest of the chapter.
#include "cub_sum.hpp"

#include <cub/device/device_reduce.cuh>

#include "lab/device/cuda_check.hpp"

std::size_t cub_sum_bytes(int n) {
    std::size_t bytes = 0;
    LAB_CUDA_CHECK(cub::DeviceReduce::Sum(nullptr, bytes, static_cast<const float*>(nullptr),
                                          static_cast<float*>(nullptr), n));
    return bytes;
}

void cub_sum(const float* in, int n, float* sums, void* memory, std::size_t bytes) {
    LAB_CUDA_CHECK(cub::DeviceReduce::Sum(memory, bytes, in, sums, n));
}
