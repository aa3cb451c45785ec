// The problem of the vector chapters: c[i] = a[i + offset] + b[i + offset]. Arrays of one size, in
// as many sets as the launches rotate through, and the check against the reference.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lab/device/device_buffer.hpp"
#include "lab/device/variant.hpp"
#include "lab/validate/device_validation.hpp"

namespace lab {

// As the chapters' kernels are: c[i] = a[i + offset] + b[i + offset] for every i + offset below n.
using AddKernel = void (*)(const float* a, const float* b, float* c, std::size_t n,
                           std::size_t offset);

// Copies share the arrays.
class ArraySum {
  public:
    struct Set {
        DeviceBuffer<float> a, b, c;
    };

    // Arrays of `n` elements. Nothing is allocated before the first use, and nothing filled by predicted launches.
    explicit ArraySum(std::size_t n);

    std::size_t size() const;
    // Bytes of one set; also what a sum at offset 0 has to read and write.
    std::size_t bytes() const { return 3 * sizeof(float) * size(); }

    Set& set(std::size_t index) const;

    // The output of set 0: the part `written` (all that have a source, if not given) holds the sums
    // from the one of the elements at `offset` on, to the bit; everything else is untouched. Throws
    // ValidationError.
    void check(std::size_t offset) const { check(offset, {0, size() - offset}); }
    void check(std::size_t offset, Part written) const;
    // The same where the kernel writes something else: `values`, from `offset` on, over and over.
    // Among them poison_value() stands for an element that it must not touch.
    void check_repeats(const std::vector<float>& values, std::size_t offset, Part written) const;

    // The values that `a` repeats, and those that the sum at offset 0 does: min(n, period) each, or
    // none before the first use.
    const std::vector<float>& values_of_a() const;
    const std::vector<float>& values_of_sum() const;

    // A row on these arrays, "name/n:…/cache:…", whose work and check are still to be stated.
    Variant row_on_sets(const std::string& name, Cache cache,
                        std::function<void(Set&)> launch) const;
    // A row that adds at `offset`: each element is two 4-byte loads, one 4-byte store and one addition. `launch` is called
    // as the chapters' kernels are.
    template <class Launch>
    Variant row(const std::string& name, std::size_t offset, Cache cache, Launch launch) const {
        Variant row = row_on_sets(name, cache, [=, n = size()](Set& set) {
            launch(set.a.get(), set.b.get(), set.c.get(), n, offset);
        });
        row.flops = static_cast<double>(size() - offset);
        row.bytes = 3 * sizeof(float) * row.flops;
        row.check = [arrays = *this, offset] { arrays.check(offset); };
        row.shape = shape_of(launch);
        return row;
    }

  private:
    struct State;

    void expect_written(const DeviceBuffer<float>& values, std::size_t offset, Part written) const;

    std::shared_ptr<State> state_;
};

}  // namespace lab
