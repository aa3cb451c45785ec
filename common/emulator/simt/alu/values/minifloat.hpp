// Floating-point formats of at most 32 bits, encoded from f64 in any rounding mode by integer arithmetic.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace emulator::simt {

enum class RoundingMode : std::uint8_t { nearest, zero, down, up, nearest_away };

struct Minifloat {
    int exponent_bits, fraction_bits;
    // e4m3: no infinity, the largest pattern but one is a number; too large values become the largest.
    bool finite_only = false;
    // e5m2 with .satfinite: infinity exists, but too large values become the largest number.
    bool saturates_finite = false;

    constexpr int bits() const { return 1 + exponent_bits + fraction_bits; }
    constexpr int smallest_exponent() const { return 2 - (1 << (exponent_bits - 1)); }
    constexpr std::uint32_t nan() const { return (1u << (bits() - 1)) - 1; }
    constexpr std::uint32_t infinity() const {
        return ((1u << exponent_bits) - 1) << fraction_bits;
    }
    constexpr std::uint32_t largest() const { return finite_only ? nan() - 1 : infinity() - 1; }

    std::uint32_t encode(double value, RoundingMode mode) const {
        if (std::isnan(value)) return nan();
        const bool is_negative = std::signbit(value);
        const std::uint32_t sign = is_negative ? 1u << (bits() - 1) : 0;
        if (std::isinf(value))
            return sign | (finite_only || saturates_finite ? largest() : infinity());
        return sign | encode_magnitude(std::fabs(value), is_negative, mode);
    }

    double decode(std::uint32_t pattern) const {
        const std::uint32_t magnitude = pattern & ((1u << (bits() - 1)) - 1);
        const double sign = pattern >> (bits() - 1) & 1 ? -1.0 : 1.0;
        if (finite_only ? magnitude == nan() : magnitude > infinity()) return NAN;
        if (!finite_only && magnitude == infinity()) return sign * INFINITY;
        const int field = static_cast<int>(magnitude >> fraction_bits);
        const auto fraction = static_cast<double>(magnitude & ((1u << fraction_bits) - 1));
        const double hidden = field == 0 ? 0.0 : std::ldexp(1.0, fraction_bits);
        const int exponent = smallest_exponent() + (field == 0 ? 0 : field - 1) - fraction_bits;
        return sign * std::ldexp(hidden + fraction, exponent);
    }

  private:
    std::uint32_t encode_magnitude(double magnitude, bool is_negative, RoundingMode mode) const {
        if (magnitude == 0) return 0;
        const int exponent = std::max(std::ilogb(magnitude), smallest_exponent());
        // In units of the last place: below 2^(fraction_bits + 1), and at most 53 bits with the fraction.
        const double scaled = std::ldexp(magnitude, fraction_bits - std::min(exponent, 512));
        if (exponent > 512) return beyond(is_negative, mode);
        const double whole = std::floor(scaled), rest = scaled - whole;
        const auto truncated = static_cast<std::uint32_t>(whole);
        const bool is_inexact = rest != 0 || (scaled == 0 && magnitude != 0);
        const bool up = rounds_up(mode, is_negative, is_inexact, rest, truncated & 1);
        const std::uint32_t rounded = truncated + up;
        const std::uint32_t pattern =
            (static_cast<std::uint32_t>(exponent - smallest_exponent()) << fraction_bits) + rounded;
        return pattern > largest() || exponent - smallest_exponent() >= 1 << exponent_bits
                   ? beyond(is_negative, mode)
                   : pattern;
    }

    static bool rounds_up(RoundingMode mode, bool is_negative, bool is_inexact, double rest,
                          bool is_odd) {
        switch (mode) {
            case RoundingMode::nearest:
                return rest > 0.5 || (rest == 0.5 && is_odd);
            case RoundingMode::nearest_away:
                return rest >= 0.5;
            case RoundingMode::zero:
                return false;
            case RoundingMode::down:
                return is_inexact && is_negative;
            case RoundingMode::up:
                return is_inexact && !is_negative;
        }
        return false;
    }

    // The result for a value above the largest.
    std::uint32_t beyond(bool is_negative, RoundingMode mode) const {
        if (finite_only || saturates_finite) return largest();
        const bool stays_finite = mode == RoundingMode::zero ||
                                  (mode == RoundingMode::down && !is_negative) ||
                                  (mode == RoundingMode::up && is_negative);
        return stays_finite ? largest() : infinity();
    }
};

}  // namespace emulator::simt
