// Chapter $number: which question does it answer?
//
// Source: to be filled in: author, work, year, section; there: sizes, block sizes, GPU.
//
// Variants: copy, blocks of 128 to 512 threads, n = 2^20 and 2^26.
// Model:    an element is one 4-byte load and one 4-byte store.
// Differs:  to be filled in: where and why this is not what the source did.
#include <memory>
#include <vector>

#include "kernels.cuh"
#include "lab/device_buffer.hpp"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/random_values.hpp"
#include "lab/validation.hpp"
#include "lab/variant_name.hpp"

namespace {

constexpr std::size_t bytes_per_element = 2 * sizeof(float);

// The arrays of one problem size, in as many sets as the launches rotate through. Made when the
// first variant needs them, shared by all variants of that size.
class Arrays {
  public:
    struct Set {
        lab::DeviceBuffer<float> in, out;
    };

    explicit Arrays(std::size_t n) : values_(lab::random_floats(n, 1)) {}

    Set& set(std::size_t index) {
        while (sets_.size() <= index) {
            sets_.push_back(
                {lab::DeviceBuffer<float>(values_), lab::DeviceBuffer<float>(values_.size())});
        }
        return sets_[index];
    }

    void check() {
        const std::vector<float> out = set(0).out.to_host();
        lab::expect_equal<float>(out, values_);
    }

  private:
    std::vector<float> values_;
    std::vector<Set> sets_;
};

lab::Variant copy_variant(std::shared_ptr<Arrays> arrays, std::size_t n, unsigned block,
                          std::size_t sets) {
    return {
        .name = lab::variant_name("copy",
                                  {{"block", block}, {"n", n}, {"cache", text(lab::Cache::cold)}}),
        .bytes = static_cast<double>(bytes_per_element * n),
        .working_set_bytes = bytes_per_element * n,
        .sets = sets,
        .prepare = [=] { arrays->set(0).out.poison(); },
        .launch =
            [=](std::size_t index) {
                Arrays::Set& set = arrays->set(index);
                lab::launch(copy, lab::blocks_for(n, block), block)(set.in.get(), set.out.get(), n);
            },
        .check = [=] { arrays->check(); },
    };
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("$chapter", argc, argv);
    std::vector<std::size_t> sizes = {1 << 20};
    // At least four times any L2 of today; counts do not change with the size.
    if (!experiment.device().emulated) sizes.push_back(1 << 26);

    for (const std::size_t n : sizes) {
        const auto arrays = std::make_shared<Arrays>(n);
        const std::size_t sets = experiment.cold_sets(bytes_per_element * n);
        for (const unsigned block : {128u, 256u, 512u}) {
            experiment.add(copy_variant(arrays, n, block, sets));
        }
        experiment.add_memcpy(n * sizeof(float), lab::Cache::cold);
    }
    // Ragged: n is no multiple of a warp.
    for (const std::size_t n : {std::size_t{1}, std::size_t{1000003}}) {
        experiment.add_validation(copy_variant(std::make_shared<Arrays>(n), n, 256, 1));
    }
    return experiment.run();
}
