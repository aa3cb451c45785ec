// Rows of kernels that make one output, of one input or of none, and what such rows are made of.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
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
// The same with the expected value of element i.
template <class Out>
Variant with_output(Variant row, std::size_t size, std::function<void(Out* out)> launch,
                    std::function<Out(std::size_t i)> expected) {
    const std::function<std::vector<Out>()> all = [=] { return tabulated(size, expected); };
    return with_output<Out>(std::move(row), size, std::move(launch), all);
}

// The same with an input, the values of `in()`.
template <class In, class Out>
Variant with_buffers(Variant row, std::function<std::vector<In>()> in, std::size_t size,
                     std::function<void(const In* in, Out* out)> launch,
                     std::function<std::vector<Out>()> expected) {
    const auto input = std::make_shared<DeviceBuffer<In>>();
    const std::function<void(Out*)> on_output = [=](Out* out) { launch(input->get(), out); };
    row = with_output<Out>(std::move(row), size, on_output, std::move(expected));
    row.prepare = [=, make_output = row.prepare] {
        *input = DeviceBuffer<In>(std::span<const In>(in()));
        make_output();
    };
    return row;
}
// The same by elements: the input is `in(0)` to `in(in_size - 1)`.
template <class In, class Out>
Variant with_buffers(Variant row, std::size_t in_size, std::function<In(std::size_t i)> in,
                     std::size_t size, std::function<void(const In* in, Out* out)> launch,
                     std::function<Out(std::size_t i)> expected) {
    return with_buffers<In, Out>(
        std::move(row), [=] { return tabulated(in_size, in); }, size, std::move(launch),
        [=] { return tabulated(size, expected); });
}

}  // namespace lab
