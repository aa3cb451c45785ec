// Chapter 02: does a misaligned read cost what it is said to cost?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Misaligned
// reads". There: n = 2^20 and 2^24, offsets 0, 11, 128, blocks of 512 threads, a Fermi GPU.
//
// Variants: read_offset at offsets 0...32, 64 and 128, blocks of 128 to 1024 threads; n = 2^20, 2^24
//           and 2^26 (805 MB, more than four times any L2 of today; GPU only). At the two larger
//           sizes the other offsets are left out for blocks other than 512, and all of them where
//           nothing is timed: counts a request do not change with n.
// Model:    an element is two 4-byte loads, one 4-byte store, one addition; n - offset elements.
// Differs:  the index is 64 bits wide; loads go through the L1 as the compiler sets it (chapter 03
//           switches it off); cold rows rotate through buffer sets that together exceed four times
//           the L2, because the source's sizes fit an L2 of today whole.
#include <memory>
#include <numeric>
#include <vector>

#include "kernels.cuh"
#include "lab/device_buffer.hpp"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/random_values.hpp"
#include "lab/validation.hpp"
#include "lab/variant_name.hpp"

namespace {

constexpr std::size_t bytes_per_element = 3 * sizeof(float);

// sum[k] = a[k] + b[k]; a kernel at some offset must give c[i] = sum[i + offset].
std::vector<float> reference_sum(const std::vector<float>& a, const std::vector<float>& b) {
    std::vector<float> sum(a.size());
    for (std::size_t k = 0; k < a.size(); ++k) sum[k] = a[k] + b[k];
    return sum;
}

// The arrays of one problem size, in as many sets as the launches rotate through. Made when the first
// variant needs them, shared by all variants of that size.
class Arrays {
  public:
    struct Set {
        lab::DeviceBuffer<float> a, b, c;
    };

    explicit Arrays(std::size_t n) : n_(n) {}

    Set& set(std::size_t index) {
        while (sets_.size() <= index) {
            const auto a = lab::random_floats(n_, 1);
            const auto b = lab::random_floats(n_, 2);
            if (sets_.empty()) sum_ = reference_sum(a, b);
            sets_.push_back({lab::DeviceBuffer<float>(a), lab::DeviceBuffer<float>(b),
                             lab::DeviceBuffer<float>(n_)});
        }
        return sets_[index];
    }

    void check(std::size_t offset) {
        const std::vector<float> c = set(0).c.to_host();
        const std::span<const float> written(c.data(), n_ - offset);
        const std::span<const float> tail(c.data() + n_ - offset, offset);
        lab::expect_equal(written, std::span<const float>(sum_).subspan(offset));
        lab::expect_untouched(tail);
    }

  private:
    std::size_t n_;
    std::vector<Set> sets_;
    std::vector<float> sum_;
};

lab::Variant read_offset_variant(std::shared_ptr<Arrays> arrays, std::size_t n, unsigned block,
                                 std::size_t offset, lab::Cache cache, std::size_t sets) {
    return {
        .name = lab::variant_name("read_offset",
                                  {{"offset", offset}, {"block", block}, {"n", n}, {"cache", lab::text(cache)}}),
        .bytes = static_cast<double>(bytes_per_element * (n - offset)),
        .flops = static_cast<double>(n - offset),
        .working_set_bytes = bytes_per_element * n,
        .sets = sets,
        .prepare = [=] { arrays->set(0).c.poison(); },
        .launch =
            [=](std::size_t index) {
                Arrays::Set& set = arrays->set(index);
                lab::launch(read_offset, lab::blocks_for(n, block), block)(
                    set.a.get(), set.b.get(), set.c.get(), n, offset);
            },
        .check = [=] { arrays->check(offset); },
    };
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("02_misaligned_reads", argc, argv);
    const auto add = [&](const auto& arrays, std::size_t n, unsigned block, std::size_t offset,
                         lab::Cache cache) {
        const std::size_t sets = experiment.sets(cache, bytes_per_element * n);
        experiment.add(read_offset_variant(arrays, n, block, offset, cache, sets));
    };

    const std::vector<std::size_t> source_offsets = {0, 11, 128};
    std::vector<std::size_t> all_offsets(33);
    std::iota(all_offsets.begin(), all_offsets.end(), 0);
    all_offsets.insert(all_offsets.end(), {64, 128});

    const std::size_t source_small = 1 << 20;
    const std::size_t source_large = 1 << 24;
    std::vector<std::size_t> sizes = {source_small, source_large};
    if (!experiment.device().emulated) sizes.push_back(1 << 26);

    // No element: what is left of a launch is its overhead, the least that any row can show.
    if (!experiment.device().emulated) {
        experiment.add({.name = "launch_overhead/block:512",
                        .launch = [](std::size_t) {
                            lab::launch(read_offset, 1, 512)(nullptr, nullptr, nullptr, 0, 0);
                        }});
    }
    for (const std::size_t n : sizes) {
        const auto arrays = std::make_shared<Arrays>(n);
        for (const unsigned block : {128u, 256u, 512u, 1024u}) {
            const bool sweep = n == source_small || (block == 512 && !experiment.device().emulated);
            for (const std::size_t offset : sweep ? all_offsets : source_offsets) {
                add(arrays, n, block, offset, lab::Cache::cold);
            }
        }
        experiment.add_memcpy(n * sizeof(float), lab::Cache::cold);
        if (n != source_small) continue;
        for (const std::size_t offset : source_offsets) {
            add(arrays, n, 512, offset, lab::Cache::warm);
        }
        experiment.add_memcpy(n * sizeof(float), lab::Cache::warm);
    }
    // Ragged: n is no multiple of a warp, the last block is nearly empty, n - offset crosses a block.
    for (const std::size_t n : {std::size_t{1}, std::size_t{31}, std::size_t{1000003}}) {
        const auto arrays = std::make_shared<Arrays>(n);
        for (const std::size_t offset : {0, 1, 11, 128}) {
            if (offset >= n) continue;
            experiment.add_validation(read_offset_variant(arrays, n, 512, offset, lab::Cache::warm, 1));
        }
    }
    return experiment.run();
}
