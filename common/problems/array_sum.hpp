// The problem of the vector chapters: c[i] = a[i + offset] + b[i + offset]. Arrays of one size, in
// as many sets as the launches rotate through, and the check against the reference.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lab/device_buffer.hpp"
#include "lab/device_validation.hpp"
#include "lab/experiment.hpp"

namespace lab {

class ArraySum {
  public:
    struct Set {
        DeviceBuffer<float> a, b, c;
    };

    // Arrays of `n` elements. Nothing is allocated before the first use, and nothing filled for sampled variants.
    explicit ArraySum(std::size_t n, Emulation emulation = Emulation::whole)
        : n_(n), emulation_(emulation) {}

    std::size_t size() const { return n_; }
    // Bytes of one set; also what a sum at offset 0 has to read and write.
    std::size_t bytes() const { return 3 * sizeof(float) * n_; }

    Set& set(std::size_t index);

    // The output of set 0: the part `written` (all that have a source, if not given) holds the sums
    // from the one of the elements at `offset` on, to the bit; everything else is untouched. Throws
    // ValidationError.
    void check(std::size_t offset) { check(offset, {0, n_ - offset}); }
    void check(std::size_t offset, Part written);
    // The same where the kernel writes something else: `values`, from `offset` on, over and over.
    // Among them poison_value() stands for an element that it must not touch.
    void check_repeats(const std::vector<float>& values, std::size_t offset, Part written) {
        expect_written(DeviceBuffer<float>(values), offset, written);
    }

    // The values that `a` repeats, and those that the sum at offset 0 does: min(n, period) each, or
    // none before the first use.
    const std::vector<float>& values_of_a() const { return a_; }
    const std::vector<float>& values_of_sum() const { return sum_; }

  private:
    void expect_written(const DeviceBuffer<float>& values, std::size_t offset, Part written);

    std::size_t n_;
    Emulation emulation_;
    std::vector<Set> sets_;
    std::vector<float> a_, b_, sum_;    // one period
    DeviceBuffer<float> expected_sum_;  // sum_
};

// A row that adds `arrays` at `offset`: `launch` launches the kernel on one set. Each element is two
// 4-byte loads, one 4-byte store and one addition.
Variant array_sum_variant(std::string name, std::shared_ptr<ArraySum> arrays, std::size_t offset,
                          std::size_t sets,
                          std::function<void(const float* a, const float* b, float* c)> launch);

}  // namespace lab
