// Chapter $number: which question does it answer?
//
// Source: to be filled in: author, work, year, section; there: sizes, block sizes, GPU.
//
// Variants: copy, blocks of 128 to 512 threads, n = 2^20 and 2^26.
// Model:    an element is one 4-byte load and one 4-byte store.
// Differs:  to be filled in: where and why this is not what the source did.
#include <algorithm>

#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"

namespace {

// The arrays of one problem size, in as many sets as the launches rotate through. Made when the
// first row needs them, shared by all rows of that size.
class Arrays {
  public:
    struct Set {
        lab::DeviceBuffer<float> in, out;
    };

    explicit Arrays(std::size_t n)
        : size_(n), values_(lab::random_floats(std::min(n, lab::period), 1)) {}

    std::size_t size() const { return size_; }

    Set& set(std::size_t index) {
        return lab::set_of(sets_, index, [&] {
            return Set{lab::repeated(values_, size_), lab::DeviceBuffer<float>(size_)};
        });
    }

    // For an element that the kernel must not touch, the expected value is lab::poison_value<float>().
    void check() { lab::expect_repeats(set(0).out, {0, size_}, lab::DeviceBuffer<float>(values_)); }

  private:
    std::size_t size_;
    std::vector<float> values_;  // repeated over the input
    std::vector<Set> sets_;
};

lab::Variant copy_row(std::shared_ptr<Arrays> arrays, unsigned block) {
    const std::size_t n = arrays->size();
    const auto launch = lab::launch(copy, lab::blocks_for(n, block), block);
    return {.name = lab::variant_name("copy", {{"block", block}, {"n", n}, {"cache", "cold"}}),
            .bytes = 2.0 * sizeof(float) * n,
            .working_set_bytes = 2 * sizeof(float) * n,
            .cache = lab::Cache::cold,
            .prepare = [=] { arrays->set(0).out.poison(); },
            .launch =
                [=](std::size_t index) {
                    auto& [in, out] = arrays->set(index);
                    launch(in.get(), out.get(), n);
                },
            .check = [=] { arrays->check(); },
            .shape = launch.shape(),
            .buffers = arrays.get()};
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("$chapter", argc, argv);
    // A size that fits the L2, and one of at least four times any L2 of today.
    for (const std::size_t n : {1 << 20, 1 << 26}) {
        const auto arrays = std::make_shared<Arrays>(n);
        for (const unsigned block : {128, 256, 512}) experiment.add(copy_row(arrays, block));
        experiment.add_memcpy(n * sizeof(float), lab::Cache::cold);
    }
    // Ragged: n is no multiple of a warp.
    for (const std::size_t n : {1, 1000003}) {
        experiment.add_validation(copy_row(std::make_shared<Arrays>(n), 256));
    }
    return experiment.run();
}
