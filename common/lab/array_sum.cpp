#include "lab/array_sum.hpp"

#include <algorithm>

#include "lab/random_values.hpp"
#include "lab/repeated_values.hpp"
#include "lab/validation.hpp"

namespace lab {

ArraySum::Set& ArraySum::set(std::size_t index) {
    if (sets_.empty()) {
        a_ = random_floats(std::min(n_, period), 1);
        b_ = random_floats(a_.size(), 2);
        sum_.resize(a_.size());
        for (std::size_t k = 0; k < a_.size(); ++k) sum_[k] = a_[k] + b_[k];
    }
    while (sets_.size() <= index) {
        sets_.push_back({repeated(a_, n_), repeated(b_, n_), DeviceBuffer<float>(n_)});
    }
    return sets_[index];
}

void ArraySum::check(std::size_t offset, std::size_t written) {
    check_repeats(sum_, offset, written);
}

void ArraySum::check_repeats(const std::vector<float>& values, std::size_t offset,
                             std::size_t written) {
    const DeviceBuffer<float>& c = set(0).c;
    std::vector<float> piece(std::min(n_, values.size()));
    // Piece by piece, each up to where the values begin anew.
    for (std::size_t at = 0; at < n_;) {
        const std::size_t phase = (at + offset) % values.size();
        const std::size_t end = at < written ? written : n_;
        const std::size_t count = std::min({values.size() - phase, end - at, piece.size()});
        backend::copy_to_host(piece.data(), c.get() + at, count * sizeof(float));
        const std::span<const float> actual(piece.data(), count);
        if (at < written) {
            expect_near<float>(actual, std::span(values).subspan(phase, count), 0, at);
        } else {
            expect_untouched(actual);
        }
        at += count;
    }
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
