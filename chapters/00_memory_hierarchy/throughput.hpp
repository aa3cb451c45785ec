// The rows of bandwidth and of rates.
#pragma once

#include <algorithm>

#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"

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
inline lab::Variant read_row(unsigned sms, std::shared_ptr<Words> array, bool through_l1,
                             unsigned loads, lab::Cache cache) {
    constexpr unsigned block = 512;
    const unsigned grid = 2 * sms, threads = grid * block;
    const unsigned words = static_cast<unsigned>(array->bytes() / sizeof(uint4));
    if (loads == 0) loads = words / threads;
    const auto read =
        lab::launch(through_l1 ? read_words<L1::through> : read_words<L1::past>, grid, block);
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
            .cache = cache,
            .prepare = [=] { array->prepare(threads); },
            .launch =
                [=](std::size_t set) {
                    read(reinterpret_cast<const uint4*>(array->in(set)), array->out(), words,
                         loads);
                },
            .check = [=] { array->check(sum_of); },
            .buffers = array.get()};
}

// One block an SM, of few warps, and few loads in flight of each: bytes in flight over latency.
template <int in_flight>
lab::Variant in_flight_row(unsigned sms, std::shared_ptr<Words> array, unsigned warps) {
    const unsigned threads = sms * 32 * warps;
    const std::size_t words = array->bytes() / 4;
    const auto read = lab::launch(read_in_flight<in_flight>, sms, 32 * warps);
    const auto sum_of = [=](unsigned thread) {
        unsigned sum = 0;
        for (std::size_t i = thread; i < words; i += threads) sum += Words::word(i);
        return sum;
    };
    return {.name = lab::variant_name(
                "read_in_flight",
                {{"warps", warps}, {"loads", in_flight}, {"n", words}, {"cache", "cold"}}),
            .bytes = 4.0 * words,
            .working_set_bytes = array->bytes(),
            .cache = lab::Cache::cold,
            .prepare = [=] { array->prepare(threads); },
            .launch =
                [=](std::size_t set) {
                    read(array->in(set), array->out(), static_cast<unsigned>(words));
                },
            .check = [=] { array->check(sum_of); },
            .buffers = array.get()};
}

inline lab::Variant strided_row(unsigned sms, unsigned stride) {
    constexpr unsigned block = 1024, rounds = 64;
    const auto array = std::make_shared<Words>(31 * stride + 32);
    const auto load = lab::launch(load_l1, sms, block);
    const auto sum_of = [=](unsigned thread) {
        unsigned sum = 0;
        for (unsigned i = 0; i < 24 * rounds; ++i) {
            sum += Words::word(thread % 32 * stride + i / 24 % 8 + i % 24);
        }
        return sum;
    };
    return {.name = lab::variant_name("load_l1", {{"stride", stride}}),
            .items = 24.0 * rounds * sms * block / 32,
            .working_set_bytes = array->bytes(),
            .prepare = [=] { array->prepare(sms * block); },
            .launch = [=](std::size_t) { load(array->in(0), array->out(), stride, rounds); },
            .check = [=] { array->check(sum_of); }};
}

inline lab::Variant store_row(unsigned sms, unsigned lines) {
    constexpr unsigned block = 256, stores = 64;
    const unsigned threads = 2 * sms * block;
    const std::size_t words = std::size_t{threads} * 32;
    const auto expected = [=] {
        std::vector<unsigned> expected(words, lab::poison_value<unsigned>());
        for (std::size_t thread = 0; thread < threads; ++thread) {
            const std::size_t lane = thread % 32;
            expected[thread / 32 * 1024 + lane % lines * 32 + lane / lines] = stores - 1;
        }
        return expected;
    };
    return lab::with_output<unsigned>(
        {.name = lab::variant_name("store_over_lines", {{"lines", lines}}),
         .items = double(stores) * threads / 32,
         .working_set_bytes = 4 * words},
        words,
        [=](unsigned* out) { lab::launch(store_over_lines, 2 * sms, block)(out, lines, stores); },
        expected);
}

struct MultiplyAdds {
    unsigned blocks, threads, steps;
};

// Halving is exact, so that the chains are right to the bit; after some 40 steps they stay at 2.
template <int chains>
lab::Variant multiply_add_row(MultiplyAdds work) {
    const unsigned threads = work.blocks * work.threads;
    const bool is_alone = work.blocks == 1;
    const auto expected = [=] {
        std::vector<float> expected(threads, 0.0f);
        for (unsigned thread = 0; thread < threads; ++thread) {
            for (unsigned i = 0; i < chains; ++i) {
                float value = float(thread % work.threads + i);
                for (int step = 0; step < 64; ++step) value = value * 0.5f + 1;
                expected[thread] += value;
            }
        }
        return expected;
    };
    return lab::with_output<float>(
        {.name = lab::variant_name("multiply_add",
                                   {{"chains", chains}, {"warps", is_alone ? "1" : "all"}}),
         .flops = 2.0 * chains * work.steps * threads,
         .items = is_alone ? double(work.steps) * chains : 0.0,
         .working_set_bytes = 4 * threads},
        threads,
        [=](float* out) {
            lab::launch(multiply_add<chains>, work.blocks, work.threads)(out, work.steps, 0.5f,
                                                                         1.0f);
        },
        expected);
}

// Small integers: every sum is exact.
template <bool same_parity>
lab::Variant pairs_row(unsigned sms, unsigned steps) {
    constexpr unsigned block = 512;
    const unsigned threads = 2 * sms * block;
    std::vector<float2> pairs(9);
    for (int i = 0; i < 9; ++i) pairs[i] = {float(i % 3), float(i % 4 + 1)};
    const auto expected = [=] {
        float sum = 0;
        for (int n = 0; n < 9 * 9 * 9; ++n) {
            const int i = n % 9, j = n / 9 % 9, k = n / 81;
            if (i >= j || k == i || k == j) continue;
            const auto part = [odd = n % 2 == 1](float2 pair, bool same) {
                return odd == same ? pair.y : pair.x;
            };
            sum += part(pairs[i], true) * part(pairs[j], true) + part(pairs[k], same_parity);
        }
        return std::vector<float>(threads, float(steps) * sum);
    };
    return lab::with_buffers<float2, float>(
        {.name =
             lab::variant_name("multiply_pairs", {{"parity", same_parity ? "same" : "different"}}),
         .flops = 3.0 * 252 * steps * threads,  // a multiply-add and an addition each
         .working_set_bytes = 4 * threads},
        [=] { return pairs; }, threads,
        [=](const float2* in, float* out) {
            lab::launch(multiply_pairs<same_parity>, 2 * sms, block)(in, out, steps);
        },
        expected);
}

}  // namespace hierarchy
