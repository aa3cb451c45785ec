#include "lab/validate/validation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

namespace lab {
namespace {

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

std::string count_and_first(std::size_t wrong, std::size_t all, std::size_t first) {
    return std::to_string(wrong) + " of " + std::to_string(all) +
           " elements wrong, the first at [" + std::to_string(first) + "]: ";
}

constexpr const char* has_to_be_left_alone = "written, although the kernel has to leave them alone";

bool is_poison(std::span<const std::byte> element) {
    return std::all_of(element.begin(), element.end(),
                       [](std::byte byte) { return byte == std::byte{0xFF}; });
}

void expect_same_length(std::size_t actual, std::size_t expected) {
    if (actual == expected) return;
    throw ValidationError("the output has " + std::to_string(actual) + " elements, the reference " +
                          std::to_string(expected));
}

template <class T>
std::string got_and_expected(T actual, T expected, double tolerance) {
    return "got " + number(static_cast<double>(actual)) + ", expected " +
           number(static_cast<double>(expected)) + ", tolerance " + number(tolerance);
}

}  // namespace

template <class T>
void expect_near(std::span<const T> actual, std::span<const T> expected, double tolerance,
                 std::size_t begin) {
    expect_same_length(actual.size(), expected.size());
    const auto is_wrong = [&](std::size_t i) {
        const double error =
            std::abs(static_cast<double>(actual[i]) - static_cast<double>(expected[i]));
        return !(error <= tolerance);
    };
    // Without a branch, so that the compiler can take several elements at once.
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < actual.size(); ++i) wrong += is_wrong(i);
    if (wrong == 0) return;
    std::size_t first = 0;
    while (!is_wrong(first)) ++first;
    const bool poisoned = is_poison(std::as_bytes(expected.subspan(first, 1)));
    throw ValidationError(count_and_first(wrong, actual.size(), begin + first) +
                          got_and_expected(actual[first], expected[first], tolerance) +
                          (poisoned ? "; a reference with poison needs expect_same_bits" : ""));
}

template <class T>
void expect_same_bits(std::span<const T> actual, std::span<const T> expected, std::size_t begin) {
    expect_same_length(actual.size(), expected.size());
    const auto bits = [](std::span<const T> values, std::size_t i) {
        return std::as_bytes(values.subspan(i, 1));
    };
    std::size_t wrong = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < actual.size(); ++i) {
        if (std::ranges::equal(bits(actual, i), bits(expected, i))) continue;
        if (wrong == 0) first = i;
        ++wrong;
    }
    if (wrong == 0) return;
    throw ValidationError(count_and_first(wrong, actual.size(), begin + first) +
                          (is_poison(bits(expected, first))
                               ? has_to_be_left_alone
                               : got_and_expected(actual[first], expected[first], 0)));
}

#define LAB_INSTANTIATE(T)                                                                  \
    template void expect_near(std::span<const T>, std::span<const T>, double, std::size_t); \
    template void expect_same_bits(std::span<const T>, std::span<const T>, std::size_t);
LAB_INSTANTIATE(float)
LAB_INSTANTIATE(double)
LAB_INSTANTIATE(std::uint8_t)
LAB_INSTANTIATE(std::uint16_t)
LAB_INSTANTIATE(int)
LAB_INSTANTIATE(unsigned)
#undef LAB_INSTANTIATE

void expect_poisoned(std::span<const std::byte> bytes, std::size_t element_bytes,
                     std::size_t begin) {
    std::size_t wrong = 0;
    std::size_t first = 0;
    for (std::size_t at = 0; at < bytes.size(); at += element_bytes) {
        if (is_poison(bytes.subspan(at, element_bytes))) continue;
        if (wrong == 0) first = at / element_bytes;
        ++wrong;
    }
    if (wrong == 0) return;
    throw ValidationError(count_and_first(wrong, bytes.size() / element_bytes, begin + first) +
                          has_to_be_left_alone);
}

}  // namespace lab
