// The rows of bandwidth and of rates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "kernels.cuh"
#include "lab/device_buffer.hpp"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/validation.hpp"
#include "lab/variant_name.hpp"

namespace hierarchy {

// An array of words without a pattern, in as many copies as launches rotate through, and an output.
class Words {
  public:
    explicit Words(std::size_t count) : count_(count) {}

    static unsigned word(std::size_t i) { return static_cast<unsigned>(i * 2654435761u); }
    std::size_t bytes() const { return 4 * count_; }
    const unsigned* in(std::size_t set) {
        while (in_.size() <= set) {
            if (host_.empty()) {
                host_.resize(count_);
                for (std::size_t i = 0; i < count_; ++i) host_[i] = word(i);
            }
            in_.emplace_back(std::span<const unsigned>(host_));
        }
        return in_[set].get();
    }
    void prepare(unsigned threads) { out_ = lab::DeviceBuffer<unsigned>(threads); }
    unsigned* out() { return out_.get(); }
    // Each thread has the sum of `sum_of(thread)`.
    template <class SumOf>
    void check(SumOf sum_of) const {
        std::vector<unsigned> expected(out_.size());
        for (unsigned i = 0; i < expected.size(); ++i) expected[i] = sum_of(i);
        lab::expect_equal<unsigned>(out_.to_host(), expected);
    }

  private:
    std::size_t count_;
    std::vector<unsigned> host_;
    std::vector<lab::DeviceBuffer<unsigned>> in_;
    lab::DeviceBuffer<unsigned> out_;
};

// As many threads as every GPU since Fermi holds at once: 1024 an SM.
inline lab::Variant read_variant(const lab::Experiment& experiment, std::shared_ptr<Words> array,
                                 bool through_l1, unsigned loads, bool cold) {
    constexpr unsigned block = 512;
    const unsigned grid = 2 * experiment.device().sm_count;
    const unsigned threads = grid * block;
    const unsigned words = static_cast<unsigned>(array->bytes() / sizeof(uint4));
    if (loads == 0) loads = words / threads;
    const auto kernel = through_l1 ? read_words<L1::through> : read_words<L1::past>;
    const auto sum_of = [=](unsigned thread) {
        unsigned sum = 0;
        for (unsigned i = 0; i < loads; ++i) {
            const std::size_t first = 4 * std::size_t{(thread + i * threads) & (words - 1)};
            for (std::size_t j = first; j < first + 4; ++j) sum += Words::word(j);
        }
        return sum;
    };
    return {.name = lab::variant_name(
                "read", {{"path", through_l1 ? "l1" : "l2"}, {"footprint", array->bytes()}}),
            .bytes = 16.0 * threads * loads,
            .working_set_bytes = array->bytes(),
            .sets = cold ? experiment.cold_sets(array->bytes()) : 1,
            .prepare = [=] { array->prepare(threads); },
            .launch =
                [=](std::size_t set) {
                    lab::launch(kernel, grid, block)(reinterpret_cast<const uint4*>(array->in(set)),
                                                     array->out(), words, loads);
                },
            .check = [=] { array->check(sum_of); },
            .finds_l2_cold = cold};
}

// One block an SM, of few warps, and few loads in flight of each: bytes in flight over latency.
template <int in_flight>
lab::Variant in_flight_variant(const lab::Experiment& experiment, std::shared_ptr<Words> array,
                               unsigned warps) {
    const unsigned grid = experiment.device().sm_count;
    const unsigned threads = grid * 32 * warps;
    const std::size_t words = array->bytes() / 4;
    return {.name = lab::variant_name(
                "read_in_flight",
                {{"warps", warps}, {"loads", in_flight}, {"n", words}, {"cache", "cold"}}),
            .bytes = 4.0 * words,
            .working_set_bytes = array->bytes(),
            .sets = experiment.cold_sets(array->bytes()),
            .prepare = [=] { array->prepare(threads); },
            .launch =
                [=](std::size_t set) {
                    lab::launch(read_in_flight<in_flight>, grid, 32 * warps)(
                        array->in(set), array->out(), static_cast<unsigned>(words));
                },
            .check =
                [=] {
                    array->check([=](unsigned thread) {
                        unsigned sum = 0;
                        for (std::size_t i = thread; i < words; i += threads) sum += Words::word(i);
                        return sum;
                    });
                }};
}

inline lab::Variant strided_variant(const lab::Experiment& experiment, unsigned stride) {
    constexpr unsigned block = 1024;
    const unsigned grid = experiment.device().sm_count;
    constexpr unsigned rounds = 64;
    const auto array = std::make_shared<Words>(31 * stride + 32);
    return {.name = lab::variant_name("load_l1", {{"stride", stride}}),
            .items = 24.0 * rounds * grid * block / 32,
            .working_set_bytes = array->bytes(),
            .prepare = [=] { array->prepare(grid * block); },
            .launch =
                [=](std::size_t) {
                    lab::launch(load_l1, grid, block)(array->in(0), array->out(), stride, rounds);
                },
            .check =
                [=] {
                    array->check([=](unsigned thread) {
                        unsigned sum = 0;
                        for (unsigned i = 0; i < 24 * rounds; ++i) {
                            sum += Words::word(thread % 32 * stride + i / 24 % 8 + i % 24);
                        }
                        return sum;
                    });
                }};
}

inline lab::Variant store_variant(const lab::Experiment& experiment, unsigned lines) {
    constexpr unsigned block = 256;
    const unsigned grid = 2 * experiment.device().sm_count;
    constexpr unsigned stores = 64;
    const std::size_t words = std::size_t{grid} * block * 32;
    const auto out = std::make_shared<lab::DeviceBuffer<unsigned>>();
    return {.name = lab::variant_name("store_over_lines", {{"lines", lines}}),
            .items = double(stores) * grid * block / 32,
            .working_set_bytes = 4 * words,
            .prepare = [=] { *out = lab::DeviceBuffer<unsigned>(words); },
            .launch =
                [=](std::size_t) {
                    lab::launch(store_over_lines, grid, block)(out->get(), lines, stores);
                },
            .check =
                [=] {
                    std::vector<unsigned> expected(words, lab::poison_value<unsigned>());
                    for (std::size_t thread = 0; thread < words / 32; ++thread) {
                        const std::size_t lane = thread % 32;
                        expected[thread / 32 * 1024 + lane % lines * 32 + lane / lines] =
                            stores - 1;
                    }
                    lab::expect_equal<unsigned>(out->to_host(), expected);
                }};
}

// Halving is exact, so that the chains are right to the bit; after some 40 steps they stay at 2.
template <int chains>
lab::Variant multiply_add_variant(const lab::Experiment& experiment, bool full) {
    const unsigned block = full ? 256 : 32;
    const unsigned grid =
        full ? (experiment.device().emulated ? 4 : 8) * experiment.device().sm_count : 1;
    const unsigned steps = full && experiment.device().emulated ? 1024 : 4096;
    const unsigned threads = grid * block;
    const auto out = std::make_shared<lab::DeviceBuffer<float>>();
    return {.name = lab::variant_name("multiply_add",
                                      {{"chains", chains}, {"warps", full ? "all" : "1"}}),
            .flops = 2.0 * chains * steps * threads,
            .items = full ? 0.0 : double(steps) * chains,
            .working_set_bytes = 4 * threads,
            .prepare = [=] { *out = lab::DeviceBuffer<float>(threads); },
            .launch =
                [=](std::size_t) {
                    lab::launch(multiply_add<chains>, grid, block)(out->get(), steps, 0.5f, 1.0f);
                },
            .check =
                [=] {
                    std::vector<float> expected(threads, 0.0f);
                    for (unsigned thread = 0; thread < threads; ++thread) {
                        for (unsigned i = 0; i < chains; ++i) {
                            float value = float(thread % block + i);
                            for (int step = 0; step < 64; ++step) value = value * 0.5f + 1;
                            expected[thread] += value;
                        }
                    }
                    lab::expect_equal<float>(out->to_host(), expected);
                }};
}

template <bool same_parity>
lab::Variant pairs_variant(const lab::Experiment& experiment) {
    constexpr unsigned block = 512;
    const unsigned grid = 2 * experiment.device().sm_count;
    const unsigned steps = experiment.device().emulated ? 8 : 64;
    // Small integers: every sum is exact.
    std::vector<float2> pairs(9);
    for (int i = 0; i < 9; ++i) pairs[i] = {float(i % 3), float(i % 4 + 1)};
    const auto in = std::make_shared<lab::DeviceBuffer<float2>>();
    const auto out = std::make_shared<lab::DeviceBuffer<float>>();
    return {
        .name =
            lab::variant_name("multiply_pairs", {{"parity", same_parity ? "same" : "different"}}),
        .flops = 3.0 * 252 * steps * grid * block,  // a multiply-add and an addition each
        .working_set_bytes = 4 * grid * block,
        .prepare =
            [=] {
                *in = lab::DeviceBuffer<float2>(std::span<const float2>(pairs));
                *out = lab::DeviceBuffer<float>(grid * block);
            },
        .launch =
            [=](std::size_t) {
                lab::launch(multiply_pairs<same_parity>, grid, block)(in->get(), out->get(), steps);
            },
        .check =
            [=] {
                float sum = 0;
                for (int n = 0; n < 9 * 9 * 9; ++n) {
                    const int i = n % 9, j = n / 9 % 9, k = n / 81;
                    if (i >= j || k == i || k == j) continue;
                    const auto part = [odd = n % 2 == 1](float2 pair, bool same) {
                        return odd == same ? pair.y : pair.x;
                    };
                    sum +=
                        part(pairs[i], true) * part(pairs[j], true) + part(pairs[k], same_parity);
                }
                lab::expect_equal<float>(out->to_host(),
                                         std::vector<float>(grid * block, float(steps) * sum));
            }};
}

}  // namespace hierarchy
