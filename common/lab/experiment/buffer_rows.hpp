// Rows of kernels that make one output, of one input or of none.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "lab/device/device_buffer.hpp"
#include "lab/device/variant.hpp"
#include "lab/validate/validation.hpp"

namespace lab {

// `row` with an output of `size` elements, poisoned before the launch and compared with `expected()` after it: each element
// is equal.
template <class Out>
Variant with_output(Variant row, std::size_t size, std::function<void(Out* out)> launch,
                    std::function<std::vector<Out>()> expected) {
    const auto out = std::make_shared<DeviceBuffer<Out>>();
    row.prepare = [=] { *out = DeviceBuffer<Out>(size); };
    row.launch = [=](std::size_t) { launch(out->get()); };
    row.check = [=] { expect_equal<Out>(out->to_host(), expected()); };
    row.buffers = out.get();
    return row;
}

// The same with an input, the values of `in()`.
template <class In, class Out>
Variant with_buffers(Variant row, std::function<std::vector<In>()> in, std::size_t size,
                     std::function<void(const In* in, Out* out)> launch,
                     std::function<std::vector<Out>()> expected) {
    const auto input = std::make_shared<DeviceBuffer<In>>();
    row = with_output<Out>(
        std::move(row), size, [=](Out* out) { launch(input->get(), out); }, std::move(expected));
    row.prepare = [=, make_output = row.prepare] {
        *input = DeviceBuffer<In>(std::span<const In>(in()));
        make_output();
    };
    return row;
}

}  // namespace lab
