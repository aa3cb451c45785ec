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
        if (host_.empty()) host_ = lab::tabulated(count_, word);
        const auto copy = [&] { return lab::DeviceBuffer<unsigned>(host_); };
        return lab::set_of(in_, set, copy).get();
    }
    void prepare(unsigned threads) { out_ = lab::DeviceBuffer<unsigned>(threads); }
    unsigned* out() { return out_.get(); }
    // Each thread has the sum of `sum_of(thread)`.
    template <class SumOf>
    void check(SumOf sum_of) const {
        lab::expect_equal<unsigned>(out_.to_host(), lab::tabulated(out_.size(), sum_of));
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
    // A warp's lanes write the first 32 / lines words of each of its lines.
    const auto expected = [=](std::size_t i) {
        const std::size_t line = i / 32 % 32, word = i % 32;
        return line < lines && word < 32 / lines ? stores - 1 : lab::poison_value<unsigned>();
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

template <int chains>
lab::Variant multiply_add_row(MultiplyAdds work) {
    const unsigned threads = work.blocks * work.threads;
    const bool is_alone = work.blocks == 1;
    const auto expected = [=](std::size_t thread) {
        float sum = 0;
        for (unsigned i = 0; i < chains; ++i) {
            sum += lab::halved(float(thread % work.threads + i), 1, int(work.steps));
        }
        return sum;
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
    const auto pair = [](std::size_t i) { return float2{float(i % 3), float(i % 4 + 1)}; };
    float sum = 0;
    for (int n = 0; n < 9 * 9 * 9; ++n) {
        const int i = n % 9, j = n / 9 % 9, k = n / 81;
        if (i >= j || k == i || k == j) continue;
        const auto part = [odd = n % 2 == 1](float2 pair, bool same) {
            return odd == same ? pair.y : pair.x;
        };
        sum += part(pair(i), true) * part(pair(j), true) + part(pair(k), same_parity);
    }
    return lab::with_buffers<float2, float>(
        {.name =
             lab::variant_name("multiply_pairs", {{"parity", same_parity ? "same" : "different"}}),
         .flops = 3.0 * 252 * steps * threads,  // a multiply-add and an addition each
         .working_set_bytes = 4 * threads},
        9, pair, threads,
        [=](const float2* in, float* out) {
            lab::launch(multiply_pairs<same_parity>, 2 * sms, block)(in, out, steps);
        },
        [total = float(steps) * sum](std::size_t) { return total; });
}

}  // namespace hierarchy
