#include "lab/validation.hpp"

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

}  // namespace

template <class T>
void expect_near(std::span<const T> actual, std::span<const T> expected, double tolerance,
                 std::size_t begin) {
    if (actual.size() != expected.size()) {
        throw ValidationError("the output has " + std::to_string(actual.size()) +
                              " elements, the reference " + std::to_string(expected.size()));
    }
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
    throw ValidationError(count_and_first(wrong, actual.size(), begin + first) + "got " +
                          number(static_cast<double>(actual[first])) + ", expected " +
                          number(static_cast<double>(expected[first])) + ", tolerance " +
                          number(tolerance));
}

template void expect_near<float>(std::span<const float>, std::span<const float>, double,
                                 std::size_t);
template void expect_near<double>(std::span<const double>, std::span<const double>, double,
                                  std::size_t);
template void expect_near<std::uint8_t>(std::span<const std::uint8_t>,
                                        std::span<const std::uint8_t>, double, std::size_t);
template void expect_near<std::uint16_t>(std::span<const std::uint16_t>,
                                         std::span<const std::uint16_t>, double, std::size_t);
template void expect_near<int>(std::span<const int>, std::span<const int>, double, std::size_t);
template void expect_near<unsigned>(std::span<const unsigned>, std::span<const unsigned>, double,
                                    std::size_t);

void expect_poisoned(std::span<const std::byte> bytes, std::size_t element_bytes) {
    std::size_t wrong = 0;
    std::size_t first = 0;
    for (std::size_t at = 0; at < bytes.size(); at += element_bytes) {
        const auto element = bytes.subspan(at, element_bytes);
        if (std::all_of(element.begin(), element.end(),
                        [](std::byte byte) { return byte == std::byte{0xFF}; })) {
            continue;
        }
        if (wrong == 0) first = at / element_bytes;
        ++wrong;
    }
    if (wrong == 0) return;
    throw ValidationError(count_and_first(wrong, bytes.size() / element_bytes, first) +
                          "written, although the kernel has to leave them alone");
}

}  // namespace lab
