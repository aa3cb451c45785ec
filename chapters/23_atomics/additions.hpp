// Rows of additions to counters: by nothing but atomics, and the filter that appends.
#pragma once

#include <bit>
#include <numeric>
#include <type_traits>

#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"

namespace atomics {

constexpr lab::Feature double_additions = {6, "atomic additions of doubles"};
constexpr lab::Feature matching = {7, "lanes that find each other (__match_any_sync)"};

// Additions of a row in global memory: threads of all blocks, `rounds` each.
constexpr unsigned block = 256, blocks = 4096;
constexpr int rounds = 4;
constexpr double additions = double(blocks) * block * rounds;

template <class T>
const char* type_name() {
    if constexpr (std::is_same_v<T, float>) return "float";
    if constexpr (std::is_same_v<T, double>) return "double";
    return sizeof(T) == 8 ? "int64" : "int";
}
template <class T>
lab::Feature needs_of() {
    return std::is_same_v<T, double> ? double_additions : lab::Feature{};
}

// Counters of any type, compared without the harness's list of types. Throws ValidationError.
template <class T>
void expect_counts(const lab::DeviceBuffer<T>& counters, T each) {
    const std::vector<T> actual = counters.to_host();
    for (std::size_t i = 0; i < actual.size(); ++i) {
        if (actual[i] == each) continue;
        throw lab::ValidationError("counter " + std::to_string(i) + ": got " +
                                   std::to_string(actual[i]) + ", expected " +
                                   std::to_string(each));
    }
}

template <class T>
lab::DeviceBuffer<T> zeros(std::size_t n) {
    const std::vector<T> values(n);
    return lab::DeviceBuffer<T>(std::span<const T>(values));
}

// `launch` adds 1 `total` times to `addresses` counters, equally often to each.
template <class T>
lab::Variant counters_row(const std::string& name, unsigned addresses, double total,
                          std::function<void(T* counters)> launch) {
    const auto counters = std::make_shared<lab::DeviceBuffer<T>>();
    return {.name = name,
            .items = total,
            .working_set_bytes = addresses * sizeof(T),
            .prepare = [=] { *counters = zeros<T>(addresses); },
            .launch = [=](std::size_t) { launch(counters->get()); },
            .check = [=] { expect_counts<T>(*counters, static_cast<T>(total / addresses)); }};
}

template <Spread spread>
constexpr const char* spread_name = spread == Spread::lanes ? "lanes" : "warps";

template <class T, Spread spread>
lab::Variant global_row(unsigned addresses) {
    lab::Variant row = counters_row<T>(
        lab::variant_name(
            "add_global",
            {{"type", type_name<T>()}, {"spread", spread_name<spread>}, {"addresses", addresses}}),
        addresses, additions, [=](T* counters) {
            lab::launch(add_global<T, spread>, blocks, block)(counters, addresses, rounds);
        });
    row.needs = needs_of<T>();
    return row;
}

// Each addition returns another value of its counter, so the sum of all is that of 0, 1, 2, ...
template <Spread spread>
lab::Variant returning_row(unsigned addresses) {
    const auto sums = std::make_shared<lab::DeviceBuffer<unsigned>>();
    lab::Variant row = counters_row<unsigned>(
        lab::variant_name("add_global_returning",
                          {{"spread", spread_name<spread>}, {"addresses", addresses}}),
        addresses, additions, [=](unsigned* counters) {
            lab::launch(add_global_returning<spread>, blocks, block)(counters, addresses, rounds,
                                                                     sums->get());
        });
    row.prepare = [=, counters = row.prepare] {
        counters();
        *sums = lab::DeviceBuffer<unsigned>(std::size_t{blocks} * block);
    };
    row.check = [=, counters = row.check] {
        counters();
        const std::vector<unsigned> actual = sums->to_host();
        const unsigned of_one = static_cast<unsigned>(additions) / addresses;
        // of_one * (of_one - 1) is even; both factors together exceed 32 bits.
        const auto expected =
            static_cast<unsigned>(std::uint64_t{of_one} * (of_one - 1) / 2 * addresses);
        lab::expect_equal<unsigned>(std::vector{std::accumulate(actual.begin(), actual.end(), 0u)},
                                    std::vector{expected});
    };
    row.working_set_bytes += sizeof(unsigned) * blocks * block;
    return row;
}

template <Spread spread>
lab::Variant matched_row(unsigned addresses) {
    lab::Variant row = counters_row<unsigned>(
        lab::variant_name("add_matched",
                          {{"spread", spread_name<spread>}, {"addresses", addresses}}),
        addresses, additions, [=](unsigned* counters) {
            lab::launch(add_matched<spread>, blocks, block)(counters, addresses, rounds);
        });
    row.needs = matching;
    return row;
}

inline lab::Variant one_counter_row(const char* name, void (*kernel)(unsigned*, int)) {
    return counters_row<unsigned>(name, 1, additions, [=](unsigned* counter) {
        lab::launch(kernel, blocks, block)(counter, rounds);
    });
}

// One block an SM, 128 additions a thread.
template <class T>
lab::Variant shared_row(unsigned sms, unsigned addresses) {
    constexpr unsigned threads = 256;
    constexpr int shared_rounds = 128;
    const auto out = std::make_shared<lab::DeviceBuffer<T>>();
    const std::size_t n = std::size_t{sms} * threads;
    return {.name = lab::variant_name("add_shared",
                                      {{"type", type_name<T>()}, {"addresses", addresses}}),
            .items = double(shared_rounds) * n,
            .working_set_bytes = sizeof(T) * n,
            .prepare = [=] { *out = lab::DeviceBuffer<T>(n); },
            .launch =
                [=](std::size_t) {
                    lab::launch(add_shared<T>, sms, threads)(out->get(), addresses, shared_rounds);
                },
            .check =
                [=] {
                    const std::vector<T> actual = out->to_host();
                    for (std::size_t i = 0; i < n; ++i) {
                        const bool is_used = i % threads < addresses;
                        const unsigned each = is_used ? shared_rounds * threads / addresses : 0;
                        if (actual[i] == T(each)) continue;
                        throw lab::ValidationError("counter " + std::to_string(i) + ": got " +
                                                   std::to_string(actual[i]) + ", expected " +
                                                   std::to_string(each));
                    }
                },
            .needs = needs_of<T>()};
}

// An emulated GPU counts a few of them: a row executes 2^22 additions, and contended loops many more tries.
inline void add_global_rows(lab::Experiment& experiment) {
    using enum lab::Evidence;
    constexpr Spread lanes = Spread::lanes, warps = Spread::warps;
    for (unsigned addresses = 1; addresses <= 1 << 16; addresses *= 2) {
        const bool is_fifth = std::countr_zero(addresses) % 5 == 0;
        const lab::Evidence few = addresses == 1 ? by_size : measured;
        const lab::Evidence some = addresses <= 32 && is_fifth ? by_size : measured;
        experiment.add(global_row<unsigned, lanes>(addresses), some);
        experiment.add({global_row<float, lanes>(addresses), returning_row<lanes>(addresses)}, few);
        if (!is_fifth) continue;
        experiment.add({global_row<unsigned, warps>(addresses), matched_row<lanes>(addresses)},
                       some);
        experiment.add({global_row<float, warps>(addresses), returning_row<warps>(addresses),
                        global_row<unsigned long long, lanes>(addresses),
                        global_row<double, lanes>(addresses), matched_row<warps>(addresses)},
                       few);
    }
    experiment.add({one_counter_row("add_known_counter", add_known_counter),
                    one_counter_row("add_aggregated", add_aggregated)});
}

inline void add_shared_rows(lab::Experiment& experiment) {
    using enum lab::Evidence;
    const unsigned sms = experiment.device().sm_count;
    for (const unsigned addresses : {1, 2, 4, 8, 16, 32, 64, 256}) {
        const lab::Evidence evidence = addresses >= 32 ? by_size : measured;
        experiment.add(shared_row<unsigned>(sms, addresses));
        experiment.add(
            {shared_row<float>(sms, addresses), shared_row<unsigned long long>(sms, addresses),
             shared_row<double>(sms, addresses)},
            evidence);
    }
}

}  // namespace atomics
