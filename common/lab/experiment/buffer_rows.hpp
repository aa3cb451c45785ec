// Rows of kernels that make one output, of one input or of none, and what such rows are made of.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "lab/device/device_buffer.hpp"
#include "lab/device/variant.hpp"
#include "lab/validate/validation.hpp"

namespace lab {

// The values `value(0)` to `value(n - 1)`.
template <class Value>
auto tabulated(std::size_t n, Value value) {
    std::vector<std::decay_t<std::invoke_result_t<Value, std::size_t>>> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = value(i);
    return values;
}

// Set `index` of those that launches rotate through; it and those before it are made when they are first asked for.
template <class Set, class Make>
Set& set_of(std::vector<Set>& sets, std::size_t index, Make make) {
    while (sets.size() <= index) sets.push_back(make());
    return sets[index];
}

// `row` with an output of `size` elements, poisoned before the launch and compared with `expected(i)` after it: each
// element is equal.
template <class Out>
Variant with_output(Variant row, std::size_t size, std::function<void(Out* out)> launch,
                    std::function<Out(std::size_t i)> expected) {
    const auto out = std::make_shared<DeviceBuffer<Out>>();
    row.prepare = [=] { *out = DeviceBuffer<Out>(size); };
    row.launch = [=](std::size_t) { launch(out->get()); };
    row.check = [=] { expect_equal<Out>(out->to_host(), tabulated(size, expected)); };
    row.buffers = out.get();
    return row;
}

// The same with an input of the values `in(0)` to `in(in_size - 1)`.
template <class In, class Out>
Variant with_buffers(Variant row, std::size_t in_size, std::function<In(std::size_t i)> in,
                     std::size_t size, std::function<void(const In* in, Out* out)> launch,
                     std::function<Out(std::size_t i)> expected) {
    const auto input = std::make_shared<DeviceBuffer<In>>();
    row = with_output<Out>(
        std::move(row), size, [=](Out* out) { launch(input->get(), out); }, std::move(expected));
    row.prepare = [=, make_output = row.prepare] {
        *input = DeviceBuffer<In>(tabulated(in_size, in));
        make_output();
    };
    return row;
}

}  // namespace lab
