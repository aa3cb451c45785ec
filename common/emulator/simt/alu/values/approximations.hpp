// ex2, lg2, sin, cos, tanh in f64 for the approximate instructions of f32: series whose error is below
// 2^-27 of the result (of 1 for sin and cos), in code that the compiler vectorises.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "emulator/simt/alu/values/float_values.hpp"

namespace emulator::simt {

// Adding it rounds to an integer, which then is in the lowest bits.
constexpr double to_integer_bits = 0x1.8p52;

// By Horner's rule: the coefficient of the highest power first.
template <class... Coefficients>
[[gnu::always_inline]] inline double polynomial(double x, double sum, Coefficients... others) {
    ((sum = sum * x + others), ...);
    return sum;
}

// 2^x. Beyond +-160, where f32 has 0 and infinity, as there.
inline double power_of_2(double x) {
    const double above = x < -160.0 ? -160.0 : x;
    const double limited = above > 160.0 ? 160.0 : above;
    const double shifted = limited + to_integer_bits;
    const double t = (limited - (shifted - to_integer_bits)) * 0x1.62e42fefa39efp-1;  // ln 2
    const double power = polynomial(t, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24,
                                    1.0 / 6, 0.5, 1.0, 1.0);
    return power * std::bit_cast<double>((bits_of(shifted) + 1023) << 52);
}

// The logarithm of x = m 2^n with m between sqrt(1/2) and sqrt(2): n + 2 atanh((m - 1) / (m + 1)) / ln 2.
inline double logarithm(double x) {
    constexpr std::uint64_t root_of_half = 0x3fe6a09e667f3bcd, bias = 1024;
    const std::uint64_t exponent = (bits_of(x) - root_of_half + (bias << 52)) >> 52;  // n + bias
    const double m = std::bit_cast<double>(bits_of(x) - ((exponent - bias) << 52));
    const double n = std::bit_cast<double>(0x4330000000000000 | exponent) - (0x1p52 + bias);
    const double s = (m - 1) / (m + 1), square = s * s;
    const double series = polynomial(square, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0);
    const double of_positive = n + series * s * 0x1.71547652b82fep1;  // 2 / ln 2
    const double of_others = x == 0 ? -INFINITY : NAN;
    const double result = x > 0 ? of_positive : of_others;
    return x == INFINITY ? x : result;
}

// sin(x + turns pi / 2). From 2^30 on x counts as 0, as it about does on GPUs, which have no more fraction
// of a turn then; the PTX ISA bounds the error up to 100 pi.
template <std::uint64_t turns>
[[gnu::always_inline]] inline double sine_after(double x) {
    const double reduced = x * (__builtin_fabs(x) < 0x1p30 ? 1.0 : 0.0);
    const double shifted = reduced * 0x1.45f306dc9c883p-1 + to_integer_bits;  // 2 / pi
    const double quarters = shifted - to_integer_bits;
    const double high = __builtin_fma(-quarters, 0x1.921fb54442d18p0, reduced);
    const double r = __builtin_fma(-quarters, 0x1.1a62633145c07p-54, high);  // the rest of pi / 2
    const double square = r * r;
    const double sine = r * polynomial(square, -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040,
                                       1.0 / 120, -1.0 / 6, 1.0);
    const double cosine =
        polynomial(square, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5, 1.0);
    const std::uint64_t quarter = bits_of(shifted) + turns;
    const std::uint64_t odd = 0 - (quarter & 1);
    const std::uint64_t magnitude = (bits_of(cosine) & odd) | (bits_of(sine) & ~odd);
    return std::bit_cast<double>(magnitude ^ (quarter & 2) << 62);
}
inline double sine(double x) { return sine_after<0>(x); }
inline double cosine(double x) { return sine_after<1>(x); }

inline double hyperbolic_tangent(double x) {
    constexpr double exponent_factor = 0x1.71547652b82fep1;  // 2 / ln 2
    const double magnitude = 1 - 2 / (power_of_2(x * exponent_factor) + 1);
    return __builtin_fabs(x) < 0x1p-12 ? x : magnitude;
}

}  // namespace emulator::simt
