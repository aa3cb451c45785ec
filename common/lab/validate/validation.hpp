// Comparison of a kernel's output with the reference. NaN-safe: a NaN on either side is an error,
// because every comparison is written so that NaN fails it. The one exception is poison that a
// reference asks for (expect_same_bits).
#pragma once

#include <cstddef>
#include <span>

#include "lab/program/errors.hpp"

namespace lab {

// Throws ValidationError ("3 of 1024 elements wrong, the first at [17]: got nan, expected 0.25,
// tolerance 0") unless |actual - expected| <= tolerance for each of the elements; also when the
// lengths differ. `begin`: the index of the first element in the whole, where this is a part of it.
// Instantiated for float, double, int, unsigned, std::uint16_t and std::uint8_t.
template <class T>
void expect_near(std::span<const T> actual, std::span<const T> expected, double tolerance,
                 std::size_t begin = 0);

template <class T>
void expect_equal(std::span<const T> actual, std::span<const T> expected) {
    expect_near<T>(actual, expected, 0);
}

// Every byte still is DeviceBuffer's poison: the kernel has not touched these elements. Throws
// ValidationError with the number and the first of those that it has.
void expect_poisoned(std::span<const std::byte> bytes, std::size_t element_bytes,
                     std::size_t begin = 0);
template <class T>
void expect_untouched(std::span<const T> actual, std::size_t begin = 0) {
    expect_poisoned(std::as_bytes(actual), sizeof(T), begin);
}

// `steps` times value -> value / 2 + addend: the chain of a multiply_add kernel. Halving is exact and the additions
// come in one order, so that it is right to the bit; after some 40 steps it no longer changes.
inline float halved(float value, float addend, int steps) {
    for (int step = 0; step < steps && step < 64; ++step) value = value * 0.5f + addend;
    return value;
}

// Both at once, for outputs with elements that a kernel leaves out: throws ValidationError unless
// each element is that of `expected` to the bit, and that is DeviceBuffer's poison where the kernel
// has to leave it alone. `expected` holds no other NaN. For the types of expect_near.
template <class T>
void expect_same_bits(std::span<const T> actual, std::span<const T> expected,
                      std::size_t begin = 0);

}  // namespace lab
