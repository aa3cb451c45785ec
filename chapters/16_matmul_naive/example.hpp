// The book's example, 4 x 4 in blocks of 2 x 2: which thread reads what, read off the kernel itself.
#pragma once

#include <cmath>
#include <limits>

#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"

// A NaN in one element of a or b shows in the elements of c whose threads read it: those of its row
// (a) or of its column (b), and no others. One launch for each element.
inline lab::Variant example_readers() {
    const auto launch = [](std::size_t) {
        const auto nan = std::numeric_limits<float>::quiet_NaN();
        for (int marked = 0; marked < 32; ++marked) {
            std::vector<float> inputs(32, 1.0f);
            inputs[marked] = nan;
            const lab::DeviceBuffer<float> a(std::span<const float>(inputs).first(16));
            const lab::DeviceBuffer<float> b(std::span<const float>(inputs).last(16));
            lab::DeviceBuffer<float> c(16);
            lab::launch(matmul_naive, dim3(2, 2), dim3(2, 2))(a.get(), b.get(), c.get(), 4, 4, 4);
            const std::vector<float> out = c.to_host();
            for (int i = 0; i < 16; ++i) {
                const bool reads = marked < 16 ? marked / 4 == i / 4 : marked % 4 == i % 4;
                if (std::isnan(out[i]) == reads) continue;
                throw lab::ValidationError("the thread of c[" + std::to_string(i) + "] " +
                                           (reads ? "does not read " : "reads ") +
                                           (marked < 16 ? "a[" : "b[") +
                                           std::to_string(marked % 16) + "]");
            }
        }
    };
    return {.name = "matmul_naive/block:2x2/readers", .launch = launch};
}
