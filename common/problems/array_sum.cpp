#include "problems/array_sum.hpp"

#include <algorithm>

#include "lab/experiment/variant_name.hpp"
#include "lab/validate/random_values.hpp"
#include "lab/validate/repeated_values.hpp"

namespace lab {

struct ArraySum::State {
    std::size_t n;
    std::vector<Set> sets = {};
    std::vector<float> a = {}, b = {}, sum = {};  // one period
    DeviceBuffer<float> expected_sum = {};        // sum
};

ArraySum::ArraySum(std::size_t n) : state_(std::make_shared<State>(n)) {}

std::size_t ArraySum::size() const { return state_->n; }

ArraySum::Set& ArraySum::set(std::size_t index) const {
    auto& [n, sets, a, b, sum, expected_sum] = *state_;
    if (a.empty() && !backend::is_predicting()) {
        sets.clear();  // what predicted launches have made
        a = random_floats(std::min(n, period), 1);
        b = random_floats(a.size(), 2);
        sum.resize(a.size());
        std::transform(a.begin(), a.end(), b.begin(), sum.begin(), std::plus<>());
        expected_sum = DeviceBuffer<float>(sum);
    }
    while (sets.size() <= index) {
        sets.push_back({repeated(a, n), repeated(b, n), DeviceBuffer<float>(n)});
    }
    return sets[index];
}

void ArraySum::check(std::size_t offset, Part written) const {
    expect_written(state_->expected_sum, offset, written);
}

void ArraySum::check_repeats(const std::vector<float>& values, std::size_t offset,
                             Part written) const {
    expect_written(DeviceBuffer<float>(values), offset, written);
}

const std::vector<float>& ArraySum::values_of_a() const { return state_->a; }
const std::vector<float>& ArraySum::values_of_sum() const { return state_->sum; }

void ArraySum::expect_written(const DeviceBuffer<float>& values, std::size_t offset,
                              Part written) const {
    const DeviceBuffer<float>& c = set(0).c;
    const std::size_t end = written.begin + written.count;
    expect_untouched(c, {0, written.begin});
    expect_repeats(c, written, values, offset % values.size());
    expect_untouched(c, {end, size() - end});
}

Variant ArraySum::row_on_sets(const std::string& name, Cache cache,
                              std::function<void(Set&)> launch) const {
    return {
        .name = variant_name(name, {{"n", size()}, {"cache", text(cache)}}),
        .working_set_bytes = bytes(),
        .cache = cache,
        .prepare = [arrays = *this] { arrays.set(0).c.poison(); },
        .launch = [arrays = *this, launch](std::size_t index) { launch(arrays.set(index)); },
        .buffers = state_.get(),
    };
}

}  // namespace lab
