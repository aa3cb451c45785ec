// The 16-bit floating-point formats f16 and bf16: conversion to and from f32, exact or rounded to nearest
// even, in code that the compiler vectorises.
#pragma once

#include <bit>
#include <cstdint>

#include "emulator/simt/alu/values/float_values.hpp"

namespace emulator::simt {

// f32 nearest to `value`, except that of two neighbours the one with an odd last bit is taken where
// `value` lies between them. Rounding that once more to a shorter format gives what rounding at once does.
inline float round_to_odd(double value) {
    const auto rounded = static_cast<float>(value);
    const double back = rounded;
    const std::uint32_t bits = bits_of(rounded);
    const bool move = (bits & 1) == 0 && back != value && value == value;
    const bool away = __builtin_fabs(value) > __builtin_fabs(back);
    return float_of(move ? (away ? bits + 1 : bits - 1) : bits);
}

// `condition ? a : b` without control flow, which would keep a loop from being vectorised.
inline std::uint32_t choose_bits(bool condition, std::uint32_t a, std::uint32_t b) {
    const std::uint32_t mask = 0u - static_cast<std::uint32_t>(condition);
    return (a & mask) | (b & ~mask);
}

// The exact a x b + c of bf16 values, rounded to odd.
inline float brain_multiply_add(float a, float b, float c) {
    const double product = double{a} * double{b};  // exact
    const double sum = product + double{c};
    const double of_c = sum - product;
    const double error = (product - (sum - of_c)) + (double{c} - of_c);
    const std::uint64_t bits = bits_of(sum);
    const bool is_inexact = (error < 0 || error > 0) && (bits & 1) == 0;
    const bool away = (error > 0) == (sum > 0);
    return round_to_odd(std::bit_cast<double>(is_inexact ? (away ? bits + 1 : bits - 1) : bits));
}

struct Half {
    static constexpr std::uint16_t nan = 0x7fff, one = 0x3c00;

    static float to_float(std::uint16_t half) {
        const std::uint32_t magnitude = (half & 0x7fffu) << 13;
        // Moves the exponent; exact for subnormal halves, too.
        const float value = float_of(magnitude) * 0x1p112f;
        const std::uint32_t special = choose_bits(magnitude >= 0x0f800000u, 0x7f800000u, 0u);
        return float_of(bits_of(value) | special | (half & 0x8000u) << 16);
    }

    static std::uint16_t from_float(float value) {
        const std::uint32_t bits = bits_of(value);
        const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
        const std::uint32_t normal =
            (magnitude + 0xfffu + (magnitude >> 13 & 1) - 0x38000000u) >> 13;
        // Adding 0.5 rounds to a multiple of 2^-24.
        const std::uint32_t subnormal = bits_of(float_of(magnitude) + 0.5f) - 0x3f000000u;
        std::uint32_t half = choose_bits(magnitude < 0x38800000u, subnormal, normal);
        half = choose_bits(magnitude >= 0x477ff000u, 0x7c00u, half) | sign;  // 65520 and more
        half = choose_bits(magnitude > 0x7f800000u, nan, half);
        return static_cast<std::uint16_t>(half);
    }

    static std::uint16_t flush(std::uint16_t half) {
        return static_cast<std::uint16_t>(choose_bits((half & 0x7c00) != 0, half, half & 0x8000u));
    }
    // The product of halves is exact in f32. Its sum with c is rounded to odd by the error of the sum, which
    // is exact, too.
    static float multiply(float a, float b) { return a * b; }
    static float multiply_add(float a, float b, float c) {
        const float product = a * b, sum = product + c;
        const float of_c = sum - product;
        const float error = (product - (sum - of_c)) + (c - of_c);
        const std::uint32_t bits = bits_of(sum);
        // Away from zero where the signs of sum and error agree; an odd sum stays, and NaN has no error.
        const std::uint32_t step = 1u - ((bits ^ bits_of(error)) >> 31 << 1);
        const bool is_inexact = __builtin_fabsf(error) > 0;
        return float_of(is_inexact ? bits + step * (~bits & 1) : bits);
    }
    static bool is_nan(std::uint16_t half) { return (half & 0x7fff) > 0x7c00; }
};

struct BrainHalf {
    static constexpr std::uint16_t nan = 0x7fff, one = 0x3f80;

    static float to_float(std::uint16_t half) { return float_of(std::uint32_t{half} << 16); }

    static std::uint16_t from_float(float value) {
        const std::uint32_t bits = bits_of(value);
        const std::uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
        return static_cast<std::uint16_t>(
            choose_bits((bits & 0x7fffffffu) > 0x7f800000u, nan, rounded));
    }

    static std::uint16_t flush(std::uint16_t half) {
        return static_cast<std::uint16_t>(choose_bits((half & 0x7f80) != 0, half, half & 0x8000u));
    }
    static float multiply(float a, float b) { return round_to_odd(double{a} * double{b}); }
    static float multiply_add(float a, float b, float c) { return brain_multiply_add(a, b, c); }
    static bool is_nan(std::uint16_t half) { return (half & 0x7fff) > 0x7f80; }
};

}  // namespace emulator::simt
