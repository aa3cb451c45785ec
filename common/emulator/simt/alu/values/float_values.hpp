// Floating-point values as GPUs handle them: canonical NaNs, flushed subnormal numbers, saturation,
// rounding modes.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <type_traits>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "emulator/simt/alu/lanes.hpp"

namespace emulator::simt {

constexpr std::uint32_t canonical_nan_bits = 0x7fffffff;  // of f32 results

inline std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
inline std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }
inline float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// Results of f32 that are NaN have one pattern; f64 keeps what the operation makes of its operands.
inline float canonical(float value) {
    return value == value ? value : float_of(canonical_nan_bits);
}
inline double canonical(double value) { return value; }

// The result of an operation of f64, or its NaN operand, quieted: for operands that take precedence. Of two
// NaNs an H200 keeps the second in add, sub, mul, min and max; of three in fma the second, then the third.
inline double or_nan_of(double operand, double result) {
    return operand != operand ? operand + operand : result;
}
inline float or_nan_of(float, float result) {
    return result;  // f32 results have one NaN anyway
}

// The NaN that an operation makes of numbers (infinity - infinity, 0 / 0, the root of a negative number) is negative
// on an H200 and on x86, and positive on arm64.
template <class... Numbers>
double with_made_nan(double result, [[maybe_unused]] Numbers... operands) {
#ifndef __SSE2__
    if (result != result && ((operands == operands) && ...))
        return std::bit_cast<double>(std::uint64_t{0xfff8} << 48);
#endif
    return result;
}
template <class... Numbers>
float with_made_nan(float result, Numbers...) {
    return result;  // f32 results have one NaN anyway
}

// Subnormal numbers become zeros of the same sign.
template <bool flushes>
float flush(float value) {
    if constexpr (!flushes) return value;
    const std::uint32_t bits = bits_of(value);
    return float_of(bits & 0x7f800000 ? bits : bits & 0x80000000);
}
template <bool flushes>
double flush(double value) {
    return value;
}

// To [0, 1]; NaN to 0.
template <bool saturates, class T>
T saturate(T value) {
    if constexpr (!saturates) return value;
    const T positive = value > T{0} ? value : T{0};
    return positive < T{1} ? positive : T{1};
}

// The change of a result before it is stored.
template <bool ftz, bool sat, class T>
T finish(T value) {
    if constexpr (sat) return saturate<true>(flush<ftz>(value));
    return canonical(flush<ftz>(value));
}

enum class Rounding { nearest, zero, down, up };

// Sets the CPU's rounding mode for a scope. fesetround() sets the mode of the x87, too, which takes long.
class RoundingScope {
  public:
#ifdef __SSE2__
    explicit RoundingScope(Rounding rounding) : before_(_mm_getcsr()) {
        constexpr unsigned modes[] = {_MM_ROUND_NEAREST, _MM_ROUND_TOWARD_ZERO, _MM_ROUND_DOWN,
                                      _MM_ROUND_UP};
        _mm_setcsr((before_ & ~static_cast<unsigned>(_MM_ROUND_MASK)) |
                   modes[static_cast<int>(rounding)]);
    }
    ~RoundingScope() { _mm_setcsr(before_); }

  private:
    unsigned before_;
#else
    explicit RoundingScope(Rounding rounding) : before_(std::fegetround()) {
        constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
        std::fesetround(modes[static_cast<int>(rounding)]);
    }
    ~RoundingScope() { std::fesetround(before_); }

  private:
    int before_;
#endif
  public:
    RoundingScope(const RoundingScope&) = delete;
    RoundingScope& operator=(const RoundingScope&) = delete;
};

// A handler whose arithmetic is rounded otherwise than to nearest: exact, by the CPU's own rounding mode.
// The handler is called through a pointer that the compiler does not see through, so that nothing of it
// moves across the changes of mode.
template <Handler handler, Rounding rounding>
void with_rounding(Warp& warp, const Operation& operation) {
    const RoundingScope scope(rounding);
    Handler opaque = handler;
    asm volatile("" : "+r"(opaque) : : "memory");
    opaque(warp, operation);
    asm volatile("" : : : "memory");
}

}  // namespace emulator::simt
