#include "lab/array_sum.hpp"

#include <algorithm>
#include <functional>

#include "lab/device_validation.hpp"
#include "lab/random_values.hpp"
#include "lab/repeated_values.hpp"

namespace lab {

ArraySum::Set& ArraySum::set(std::size_t index) {
    if (sets_.empty()) {
        a_ = random_floats(std::min(n_, period), 1);
        b_ = random_floats(a_.size(), 2);
        std::vector<float> sum(a_.size());
        std::transform(a_.begin(), a_.end(), b_.begin(), sum.begin(), std::plus<>());
        sum_ = DeviceBuffer<float>(sum);
    }
    while (sets_.size() <= index) {
        sets_.push_back({repeated(a_, n_), repeated(b_, n_), DeviceBuffer<float>(n_)});
    }
    return sets_[index];
}

void ArraySum::check(std::size_t offset, std::size_t written) {
    check_repeats(sum_, offset, written);
}

void ArraySum::check_repeats(const DeviceBuffer<float>& values, std::size_t offset,
                             std::size_t written) {
    const DeviceBuffer<float>& c = set(0).c;
    expect_repeats(c, {0, written}, values, offset % values.size());
    expect_untouched(c, {written, n_ - written});
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
