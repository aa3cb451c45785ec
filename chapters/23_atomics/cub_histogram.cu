// A source of its own: CUB's headers take nvcc longer than the rest of the chapter.
#include "cub_histogram.hpp"

#include <cub/device/device_histogram.cuh>

#include "lab/device/cuda_check.hpp"

namespace {

constexpr int levels = 257, lowest = 0, end = 256;

}  // namespace

std::size_t cub_histogram_bytes(int n) {
    std::size_t bytes = 0;
    LAB_CUDA_CHECK(cub::DeviceHistogram::HistogramEven(
        nullptr, bytes, static_cast<const std::uint8_t*>(nullptr), static_cast<unsigned*>(nullptr),
        levels, lowest, end, n));
    return bytes;
}

void cub_histogram(const std::uint8_t* in, int n, unsigned* bins, void* memory, std::size_t bytes) {
    LAB_CUDA_CHECK(
        cub::DeviceHistogram::HistogramEven(memory, bytes, in, bins, levels, lowest, end, n));
}
