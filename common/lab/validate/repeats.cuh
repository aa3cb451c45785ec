// The comparison of device memory with device memory: outputs are too large to be read back for it.
#pragma once

#include <cstddef>

namespace lab {

// *differs becomes 1 unless the `count` words at `data` are the `period` words at `expected` over and
// over, from the one at `phase` on. As bits, so that a NaN is like no number. Any grid of blocks in x.
template <class Word>
__global__ void find_difference(const Word* data, std::size_t count, const Word* expected,
                                std::size_t period, std::size_t phase, int* differs) {
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
         i += threads) {
        if (data[i] != expected[(phase + i) % period]) *differs = 1;
    }
}

}  // namespace lab
