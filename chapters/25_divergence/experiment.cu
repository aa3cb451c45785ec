// Chapter 25: does divergence halve the speed?
//
// Source: NVIDIA: CUDA C++ Programming Guide and Best Practices Guide, control flow instructions, branch predication;
//         claims.toml has the others. There: no numbers, for no GPU.
//
// Variants: n = 2^17, which is counted, and 2^20, whose times outlast the launch
//           two_paths           a loop of 64 multiply-adds or another one; by: what decides (none, warp, lane, data)
//           two_paths_selected  both loops in each lane, and a select
//           two_short_paths     paths of one instruction; n = 2^20 and 2^26
//           switch_paths        1 to 32 different paths in a warp
//           leave_early         no lane, every other lane or every other warp leaves at once
//           loop_lengths        0 to 127 steps a lane: shuffled, or sorted
//           sines, divisions    the library's, and those of -use_fast_math; arguments: small, large, one large a warp
// Model:    two_short_paths: a 4-byte load and a 4-byte store an element. Items of the others are elements.
// Differs:  -use_fast_math is a flag for a whole file; here its functions are called by name.
#include <algorithm>
#include <cmath>
#include <functional>

#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "problems/array_sum.hpp"

namespace {

constexpr unsigned block = 256, usual_steps = 64;
constexpr unsigned n_counted = 1 << 17, n_timed = 1 << 20;

using Floats = std::vector<float>;
// The result of an element.
using Expected = std::function<float(float x, unsigned i)>;

float path_of(int way, float x, unsigned steps) {
    const float factor = 0.5f - static_cast<float>(way) * 0.0078125f;
    const float summand = 1.0f + static_cast<float>(way) * 0.25f;
    for (unsigned step = 0; step < steps; ++step) x = std::fma(x, factor, summand);
    return x;
}

bool second(By by, float x, unsigned i) {
    switch (by) {
        case By::warp:
            return i / 32 % 2 == 1;
        case By::lane:
            return i % 2 == 1;
        case By::data:
            return x < 0;
        default:
            return false;
    }
}

Floats random_values(unsigned n) { return lab::random_floats(n, 5); }
Floats sorted_values(unsigned n) {
    Floats values = random_values(n);
    std::sort(values.begin(), values.end());
    return values;
}

// A row whose kernel makes one element of each of `in()`; `tolerance` 0 is equality.
template <class Launch>
lab::Variant element_row(const std::string& name, unsigned n, std::function<Floats()> in,
                         const Launch& launch, Expected expected, double tolerance = 0) {
    const auto input = std::make_shared<lab::DeviceBuffer<float>>();
    const auto output = std::make_shared<lab::DeviceBuffer<float>>();
    return {.name = lab::variant_name(name, {{"n", n}, {"cache", "warm"}}),
            .items = static_cast<double>(n),
            .working_set_bytes = 2 * sizeof(float) * n,
            .prepare =
                [=] {
                    *input = lab::DeviceBuffer<float>(std::span<const float>(in()));
                    *output = lab::DeviceBuffer<float>(n);
                },
            .launch = [=](std::size_t) { launch(input->get(), output->get()); },
            .check =
                [=] {
                    Floats values = in();
                    for (unsigned i = 0; i < n; ++i) values[i] = expected(values[i], i);
                    lab::expect_near<float>(output->to_host(), values, tolerance);
                },
            .buffers = input.get()};
}

template <By by>
lab::Variant two_paths_row(const char* name, unsigned n,
                           Floats (*values)(unsigned) = random_values) {
    const auto launch = lab::launch(two_paths<by>, lab::blocks_for(n, block), block);
    return element_row(
        lab::variant_name("two_paths", {{"by", name}}), n, [=] { return values(n); },
        [=](const float* in, float* out) { launch(in, out, n, usual_steps); },
        [](float x, unsigned i) { return path_of(second(by, x, i), x, usual_steps); });
}

lab::Variant selected_row(unsigned n) {
    const auto launch = lab::launch(two_paths_selected, lab::blocks_for(n, block), block);
    return element_row(
        "two_paths_selected", n, [=] { return random_values(n); },
        [=](const float* in, float* out) { launch(in, out, n, usual_steps); },
        [](float x, unsigned i) { return path_of(second(By::data, x, i), x, usual_steps); });
}

lab::Variant switch_row(unsigned n, unsigned ways) {
    const auto launch = lab::launch(switch_paths, lab::blocks_for(n, block), block);
    return element_row(
        lab::variant_name("switch_paths", {{"ways", ways}}), n, [=] { return random_values(n); },
        [=](const float* in, float* out) { launch(in, out, n, usual_steps, ways); },
        [=](float x, unsigned i) { return path_of(static_cast<int>(i % ways), x, usual_steps); });
}

template <By by>
lab::Variant leave_row(const char* name, unsigned n) {
    const auto launch = lab::launch(leave_early<by>, lab::blocks_for(n, block), block);
    return element_row(
        lab::variant_name("leave_early", {{"by", name}}), n, [=] { return random_values(n); },
        [=](const float* in, float* out) { launch(in, out, n, usual_steps); },
        [](float x, unsigned i) { return second(by, x, i) ? x : path_of(0, x, usual_steps); });
}

// 0 to 127 steps, 63.5 on average.
std::vector<unsigned> lengths_of(unsigned n, bool sorted) {
    std::vector<unsigned> lengths(n);
    for (unsigned i = 0; i < n; ++i) {
        lengths[i] =
            sorted ? static_cast<unsigned>(std::uint64_t{i} * 128 / n) : i * 2654435761u >> 25;
    }
    return lengths;
}

lab::Variant lengths_row(const char* order, unsigned n, bool sorted) {
    const auto lengths = std::make_shared<lab::DeviceBuffer<unsigned>>();
    const auto launch = lab::launch(loop_lengths, lab::blocks_for(n, block), block);
    lab::Variant row = element_row(
        lab::variant_name("loop_lengths", {{"order", order}}), n, [=] { return random_values(n); },
        [=](const float* in, float* out) { launch(in, lengths->get(), out, n); },
        [known = lengths_of(n, sorted)](float x, unsigned i) { return path_of(0, x, known[i]); });
    row.prepare = [=, prepare = row.prepare] {
        *lengths = lab::DeviceBuffer<unsigned>(std::span<const unsigned>(lengths_of(n, sorted)));
        prepare();
    };
    return row;
}

// ---- Functions of the library.

// All 16 arguments of a thread lie within a period: where the fast sine is accurate.
Floats small_arguments(unsigned n) {
    Floats values = random_values(n);
    for (float& value : values) value *= 0.19f;
    return values;
}
Floats large_arguments(unsigned n) {
    Floats values = random_values(n);
    for (float& value : values) value = 1e7f + 1e6f * value;
    return values;
}
Floats one_large_argument(unsigned n) {
    Floats values = small_arguments(n);
    const Floats large = large_arguments(n);
    for (unsigned i = 0; i < n; i += 32) values[i] = large[i];
    return values;
}

float sines_of(float x, unsigned) {
    float sum = 0;
    for (unsigned step = 0; step < 16; ++step) {
        sum += std::sin(std::fma(x, static_cast<float>(step), x));
    }
    return sum;
}

float divisions_of(float x, unsigned) {
    float sum = 0;
    for (unsigned step = 0; step < 16; ++step) sum += x / (1.0f + static_cast<float>(step) + x);
    return sum;
}

// 16 results of at most 2^-21.4 each for the fast functions, of 2 units in the last place for the library's.
constexpr double function_tolerance = 1e-5;

template <class Kernel>
lab::Variant function_row(const std::string& name, unsigned n, Floats (*values)(unsigned),
                          Kernel* kernel, Expected expected) {
    const auto launch = lab::launch(kernel, lab::blocks_for(n, block), block);
    return element_row(
        name, n, [=] { return values(n); },
        [=](const float* in, float* out) { launch(in, out, n); }, expected, function_tolerance);
}

template <By by>
lab::Variant short_row(const lab::ArraySum& arrays, const char* name) {
    const unsigned n = static_cast<unsigned>(arrays.size());
    const auto launch = lab::launch(two_short_paths<by>, lab::blocks_for(n, block), block);
    lab::Variant row =
        arrays.row_on_sets(lab::variant_name("two_short_paths", {{"by", name}}), lab::Cache::cold,
                           [=](lab::ArraySum::Set& set) { launch(set.a.get(), set.c.get(), n); });
    row.shape = launch.shape();
    row.bytes = 8.0 * n;
    row.working_set_bytes = 2 * sizeof(float) * n;
    // The values repeat with a period of whole warps: a lane and a warp decide alike in each repetition.
    row.check = [=] {
        Floats expected = arrays.values_of_a();
        for (unsigned i = 0; i < expected.size(); ++i) {
            const float x = expected[i];
            expected[i] = second(by, x, i) ? x * 0.25f : x + 3.0f;
        }
        arrays.check_repeats(expected, 0, {0, n});
    };
    return row;
}

std::vector<lab::Variant> short_rows(const lab::ArraySum& arrays) {
    return {short_row<By::none>(arrays, "none"), short_row<By::lane>(arrays, "lane"),
            short_row<By::data>(arrays, "data")};
}

std::vector<lab::Variant> long_rows(unsigned n) {
    std::vector<lab::Variant> rows = {
        two_paths_row<By::none>("none", n),
        two_paths_row<By::warp>("warp", n),
        two_paths_row<By::lane>("lane", n),
        two_paths_row<By::data>("data", n),
        two_paths_row<By::data>("sorted_data", n, sorted_values),
        selected_row(n),
        leave_row<By::none>("none", n),
        leave_row<By::lane>("lane", n),
        leave_row<By::warp>("warp", n),
        lengths_row("shuffled", n, false),
        lengths_row("sorted", n, true),
        function_row("sines/math:library/arguments:small", n, small_arguments, sines<false>,
                     sines_of),
        function_row("sines/math:library/arguments:one_large", n, one_large_argument, sines<false>,
                     sines_of),
        function_row("sines/math:library/arguments:large", n, large_arguments, sines<false>,
                     sines_of),
        function_row("sines/math:fast/arguments:small", n, small_arguments, sines<true>, sines_of),
        function_row("divisions/math:library", n, small_arguments, divisions<false>, divisions_of),
        function_row("divisions/math:fast", n, small_arguments, divisions<true>, divisions_of)};
    // The emulated GPU divides exactly in one instruction.
    for (auto row = rows.end() - 2; row != rows.end(); ++row)
        row->evidence = lab::Evidence::measured;
    for (const unsigned ways : {1, 2, 4, 8, 16, 32}) rows.push_back(switch_row(n, ways));
    return rows;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("25_divergence", argc, argv);
    experiment.add(long_rows(n_counted));
    experiment.add(long_rows(n_timed), lab::Evidence::measured);
    for (const std::size_t n : {n_timed, 1u << 26}) {
        const lab::ArraySum arrays(n);
        experiment.add(short_rows(arrays));
        experiment.add_memcpy(n * sizeof(float), lab::Cache::cold);
    }
    // Ragged: a warp that is partly outside, one thread.
    for (const unsigned n : {1u, 1009u}) {
        experiment.add_validation(long_rows(n));
        experiment.add_validation(short_rows(lab::ArraySum(n)));
    }
    return experiment.run();
}
