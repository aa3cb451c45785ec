#include "problems/array_sum.hpp"

#include <algorithm>
#include <functional>

#include "lab/random_values.hpp"
#include "lab/repeated_values.hpp"

namespace lab {

ArraySum::Set& ArraySum::set(std::size_t index) {
    if (emulation_ == Emulation::sampled) {
        while (sets_.size() <= index)
            sets_.push_back({unfilled<float>(n_), unfilled<float>(n_), unfilled<float>(n_)});
        return sets_[index];
    }
    if (sets_.empty()) {
        a_ = random_floats(std::min(n_, period), 1);
        b_ = random_floats(a_.size(), 2);
        sum_.resize(a_.size());
        std::transform(a_.begin(), a_.end(), b_.begin(), sum_.begin(), std::plus<>());
        expected_sum_ = DeviceBuffer<float>(sum_);
    }
    while (sets_.size() <= index) {
        sets_.push_back({repeated(a_, n_), repeated(b_, n_), DeviceBuffer<float>(n_)});
    }
    return sets_[index];
}

void ArraySum::check(std::size_t offset, Part written) {
    expect_written(expected_sum_, offset, written);
}

void ArraySum::expect_written(const DeviceBuffer<float>& values, std::size_t offset, Part written) {
    const DeviceBuffer<float>& c = set(0).c;
    const std::size_t end = written.begin + written.count;
    expect_untouched(c, {0, written.begin});
    expect_repeats(c, written, values, offset % values.size());
    expect_untouched(c, {end, n_ - end});
}

Variant array_sum_variant(std::string name, std::shared_ptr<ArraySum> arrays, std::size_t offset,
                          std::size_t sets,
                          std::function<void(const float*, const float*, float*)> launch) {
    const auto added = static_cast<double>(arrays->size() - offset);
    return {
        .name = std::move(name),
        .bytes = 3 * sizeof(float) * added,
        .flops = added,
        .working_set_bytes = arrays->bytes(),
        .sets = sets,
        .prepare = [=] { arrays->set(0).c.poison(); },
        .launch =
            [=](std::size_t index) {
                auto& [a, b, c] = arrays->set(index);
                launch(a.get(), b.get(), c.get());
            },
        .check = [=] { arrays->check(offset); },
    };
}

}  // namespace lab
