// The array that the chapter adds up, in as many sets as launches rotate through, and its sums by the CPU.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "cub_sum.hpp"
#include "lab/experiment/chapter.hpp"

namespace reductions {

constexpr unsigned block = 512;
// The largest part of a block of the ladder: 8 elements a thread. Arrays are padded with zeros to whole parts.
constexpr std::size_t largest_part = 8 * block;

// Whole numbers from -8 to 8 without a pattern, stored as floats: all partial sums stay far below 2^24, so that
// every order of additions gives the same bits. Made when the first row needs them, shared by all rows of a size.
class Arrays {
  public:
    struct Set {
        lab::DeviceBuffer<float> in;    // n elements, then zeros up to padded()
        lab::DeviceBuffer<float> sums;  // what a kernel leaves: room() elements
        lab::DeviceBuffer<unsigned> ticket;
    };

    // `room`: elements that a kernel may write; one more is there, which none may touch.
    Arrays(std::size_t n, std::size_t room)
        : size_(n),
          room_(std::max(room, padded() / block) + 1),
          values_(lab::random_floats(std::min(n, lab::period), 21)) {
        for (float& value : values_) value = std::round(8 * value);
    }

    std::size_t size() const { return size_; }
    std::size_t padded() const { return (size_ + largest_part - 1) / largest_part * largest_part; }
    std::size_t room() const { return room_; }
    std::size_t bytes() const { return sizeof(float) * (padded() + room_); }  // of a set
    float at(std::size_t i) const { return i < size_ ? values_[i % values_.size()] : 0; }

    Set& set(std::size_t index) {
        while (sets_.size() <= index) {
            const unsigned zero = 0;
            sets_.push_back({input(), lab::DeviceBuffer<float>(room_),
                             lab::DeviceBuffer<unsigned>(std::span(&zero, 1))});
        }
        return sets_[index];
    }
    // CUB's, for any set.
    lab::DeviceBuffer<unsigned char>& memory() {
        if (memory_.size() == 0) {
            memory_ = lab::DeviceBuffer<unsigned char>(cub_sum_bytes(static_cast<int>(size_)));
        }
        return memory_;
    }

    // Set 0 as it was at first: kernels that work in place have changed its input.
    void prepare() {
        set(0).in = input();
        set(0).sums.poison();
    }
    // The output begins with `expected`, to the bit; the rest is untouched. Throws ValidationError.
    template <class T>
    void check(const std::vector<T>& expected) {
        const auto& sums = set(0).sums;
        std::vector<T> actual(expected.size());
        lab::backend::copy_to_host(actual.data(), sums.get(), actual.size() * sizeof(T));
        lab::expect_equal<T>(actual, expected);
        lab::expect_untouched(sums, {expected.size(), room_ - expected.size()});
    }

    // The sums of `count` parts: element i belongs to part part_of(i).
    template <class PartOf>
    std::vector<float> sums(std::size_t count, PartOf part_of) const {
        std::vector<double> sums(count);
        for (std::size_t i = 0, k = 0; i < size_; ++i) {
            sums[part_of(i)] += values_[k];
            if (++k == values_.size()) k = 0;
        }
        return {sums.begin(), sums.end()};
    }
    float total() const {
        return sums(1, [](std::size_t) { return 0; })[0];
    }
    // The same of the bits as unsigned integers, modulo 2^32, of the first `n` elements of the padded array.
    template <class PartOf>
    std::vector<unsigned> sums_of_bits(std::size_t n, std::size_t count, PartOf part_of) const {
        std::vector<unsigned> sums(count);
        for (std::size_t i = 0; i < n; ++i) sums[part_of(i)] += std::bit_cast<unsigned>(at(i));
        return sums;
    }

  private:
    lab::DeviceBuffer<float> input() const {
        if (size_ == padded()) return lab::repeated(values_, size_);
        std::vector<float> values(padded());
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = at(i);
        return lab::DeviceBuffer<float>(std::span<const float>(values));
    }

    std::size_t size_, room_;
    std::vector<float> values_;
    std::vector<Set> sets_;
    lab::DeviceBuffer<unsigned char> memory_;
};

}  // namespace reductions
