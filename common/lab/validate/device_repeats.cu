#include "lab/validate/device_repeats.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "lab/device/backend.hpp"
#include "lab/device/cuda_check.hpp"
#include "lab/validate/repeats.cuh"

namespace lab::backend {
namespace {

// The comparison without a kernel, which an emulated GPU executes more slowly than this.
bool repeats_on_host(const void* data, std::size_t bytes, const void* expected, std::size_t period,
                     std::size_t phase) {
    constexpr std::size_t chunk = 1 << 20;
    std::vector<std::byte> wanted(period), actual(std::min(chunk, bytes));
    copy_to_host(wanted.data(), expected, period);
    for (std::size_t begin = 0; begin < bytes; begin += chunk) {
        const std::size_t end = std::min(begin + chunk, bytes);
        copy_to_host(actual.data(), static_cast<const std::byte*>(data) + begin, end - begin);
        std::size_t count = 0;
        for (std::size_t at = begin; at < end; at += count) {
            const std::size_t from = (phase + at) % period;
            count = std::min(period - from, end - at);
            if (std::memcmp(&actual[at - begin], &wanted[from], count) != 0) return false;
        }
    }
    return true;
}

}  // namespace

bool repeats(const void* data, std::size_t bytes, const void* expected, std::size_t period,
             std::size_t phase) {
    if (description().emulated) return repeats_on_host(data, bytes, expected, period, phase);
    const auto all = reinterpret_cast<std::uintptr_t>(data) |
                     reinterpret_cast<std::uintptr_t>(expected) | bytes | period | phase;
    const auto differ = [&]<class Word>(Word) {
        static int* const found = static_cast<int*>(allocate(sizeof(int)));
        LAB_CUDA_CHECK(cudaMemset(found, 0, sizeof(int)));
        constexpr unsigned grid = 1024, block = 512;  // more than any GPU holds at once
        find_difference<<<grid, block>>>(static_cast<const Word*>(data), bytes / sizeof(Word),
                                         static_cast<const Word*>(expected), period / sizeof(Word),
                                         phase / sizeof(Word), found);
        LAB_CUDA_CHECK(cudaGetLastError());
        int differs = 1;
        copy_to_host(&differs, found, sizeof(int));
        return differs != 0;
    };
    return !(all % 4 == 0   ? differ(std::uint32_t{})
             : all % 2 == 0 ? differ(std::uint16_t{})
                            : differ(std::uint8_t{}));
}

}  // namespace lab::backend
