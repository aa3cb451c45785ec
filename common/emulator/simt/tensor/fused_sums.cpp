#include "emulator/simt/tensor/fused_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "emulator/simt/alu/values/half_values.hpp"
#include "emulator/simt/tensor/column_vectors.hpp"

namespace emulator::simt {
namespace {

// One step of a row: its products, and how they are added.
struct Step {
    const RowFactors& a;
    const ColumnFactors& b;
    unsigned row, first, last;  // products first to last - 1
    SumModel model;
    SumType type;

    // The exponent of the sums' subnormal numbers.
    int smallest_exponent() const { return type == SumType::f16 ? -14 : -126; }
    // Bits of an FP32 result that stay.
    std::uint32_t kept() const { return ~0u << (23 - model.result_bits); }
};

// ---- any numbers: one column, in FP64 -----------------------------------------------------------------------------------------

// The nearest to zero of the two FP32 numbers beside a value; infinity from 2^128 on.
float truncated(double value) {
    const auto nearest = static_cast<float>(value);
    const double magnitude = std::fabs(value);
    const bool is_beyond = std::fabs(double{nearest}) > magnitude && magnitude < 0x1p128;
    // A zero is positive.
    return 0.0f + float_of(bits_of(nearest) - static_cast<std::uint32_t>(is_beyond));
}

float sum_of_column(const Step& step, unsigned column, float before) {
    const auto product = [&](unsigned k) {
        return double{step.a.value[step.row][k]} * double{step.b.value[k][column]};
    };
    double plain = before;
    int largest =
        before == 0 ? zero_exponent : std::max(std::ilogb(before), step.smallest_exponent());
    for (unsigned k = step.first; k < step.last; ++k) {
        plain += product(k);
        largest = std::max(largest, step.a.exponent[step.row][k] + step.b.exponent[k][column]);
    }
    // Infinities and NaNs: the same in every order of the sum.
    if (std::isnan(plain)) return std::numeric_limits<float>::quiet_NaN();
    if (std::isinf(plain)) return static_cast<float>(plain);
    if (largest <= zero_exponent / 2) return 0;  // nothing but zeros
    const double scale = std::ldexp(1.0, step.model.fraction_bits - largest);
    double sum = std::trunc(before * scale);
    for (unsigned k = step.first; k < step.last; ++k) sum += std::trunc(product(k) * scale);
    sum /= scale;
    if (step.type == SumType::f16) return round_to_odd(sum);
    const float result = truncated(sum);
    return std::isinf(result) ? result : float_of(bits_of(result) & step.kept());
}

// ---- numbers of common exponents: the columns of a row side by side in the host's vector registers ------------------------------

constexpr unsigned half_columns = columns / 2;
using Doubles = double __attribute__((vector_size(half_columns * sizeof(double))));
using DoubleBits = std::int64_t __attribute__((vector_size(half_columns * sizeof(double))));
using HalfFloats = float __attribute__((vector_size(half_columns * sizeof(float))));

inline void set_exponents(const Floats& numbers, int smallest, Integers& exponents) {
    const auto bits = reinterpret_cast<Integers>(numbers);
    const Integers exponent = (bits >> 23 & 0xff) - 127;
    exponents = exponent > smallest ? exponent : Integers{} + smallest;
    exponents = (bits & 0x7fffffff) == 0 ? Integers{} + zero_exponent : exponents;
}

inline void set_powers_of_two(const Integers& exponents, Floats& powers) {
    powers = reinterpret_cast<Floats>((exponents + 127) << 23);
}

// Whether the vector path is exact: products, units of the last place and results are zero or normal numbers of FP32.
inline bool are_common(const Integers& largest) {
    const Integers are = ((largest >= -100) & (largest <= 126)) | (largest <= zero_exponent / 2);
    std::int64_t parts[columns / 2];
    std::memcpy(parts, &are, sizeof parts);
    return (parts[0] & parts[1] & parts[2] & parts[3]) == -1;
}

// Whole numbers below 2^34 to FP32: truncated, or rounded to odd.
template <bool to_odd>
inline void shorten(const Doubles& numbers, HalfFloats& shortened) {
    constexpr std::int64_t last_kept = std::int64_t{1} << 29;
    const auto bits = reinterpret_cast<DoubleBits>(numbers);
    DoubleBits kept = bits & -last_kept;
    if (to_odd) kept |= (kept != bits) & last_kept;
    shortened = __builtin_convertvector(reinterpret_cast<Doubles>(kept), HalfFloats);
}

template <bool is_half>
bool add_common(const Step& step, float (&of_row)[columns]) {
    const auto& [a, b, row, first, last, model, type] = step;
    Floats sums;
    std::memcpy(&sums, of_row, sizeof sums);
    Integers largest;
    set_exponents(sums, step.smallest_exponent(), largest);
#pragma GCC unroll 4
    for (unsigned k = first; k < last; ++k) {
        const Integers of_product = as<const Integers>(b.exponent[k]) + a.exponent[row][k];
        largest = of_product > largest ? of_product : largest;
    }
    if (!are_common(largest)) return false;
    Integers shift = model.fraction_bits - largest;
    shift = shift < 126 ? shift : Integers{} + 126;  // of zeros
    Floats scale, unit;
    set_powers_of_two(shift, scale);
    set_powers_of_two(-shift, unit);
    // Conversions to integers truncate. Of 25 fraction bits, eight products below 4 and a number below 2 are below 2^31.
    Integers some = __builtin_convertvector(sums * scale, Integers);
    Doubles low{}, high{};
    for (unsigned k = first; k < last;) {
        const unsigned end = std::min(last, k + 8);
#pragma GCC unroll 4
        for (; k < end; ++k) {
            const Floats products = as<const Floats>(b.value[k]) * a.value[row][k] * scale;
            some += __builtin_convertvector(products, Integers);
        }
        low += __builtin_convertvector(__builtin_shufflevector(some, some, 0, 1, 2, 3), Doubles);
        high += __builtin_convertvector(__builtin_shufflevector(some, some, 4, 5, 6, 7), Doubles);
        some = Integers{};
    }
    HalfFloats low_result, high_result;
    shorten<is_half>(low, low_result);
    shorten<is_half>(high, high_result);
    sums = __builtin_shufflevector(low_result, high_result, 0, 1, 2, 3, 4, 5, 6, 7) * unit;
    if (!is_half) {
        const auto bits = reinterpret_cast<Integers>(sums);
        sums = reinterpret_cast<Floats>(bits & static_cast<std::int32_t>(step.kept()));
    }
    std::memcpy(of_row, &sums, sizeof sums);
    return true;
}

// A step of a row, whose sums of type FP16 are rounded to odd.
void add_step(const Step& step, float (&sums)[columns]) {
    if (step.type == SumType::f16 ? add_common<true>(step, sums) : add_common<false>(step, sums))
        [[likely]]
        return;
    for (unsigned column = 0; column < columns; ++column)
        sums[column] = sum_of_column(step, column, sums[column]);
}

void round_to_halves(unsigned rows, Sums& sums) {
    float* const all = sums.of[0];
    for (unsigned i = 0; i < rows * columns; ++i) all[i] = Half::to_float(Half::from_float(all[i]));
}

}  // namespace

void add_in_chains(const RowFactors& a, const ColumnFactors& b, unsigned rows, unsigned inner,
                   SumType type, Sums& sums) {
    for (unsigned row = 0; row < rows; ++row) {
        for (unsigned column = 0; column < columns; ++column) {
            float chain = 0;
            for (unsigned k = 0; k < inner; ++k)
                chain = __builtin_fmaf(a.value[row][k], b.value[k][column], chain);
            sums.of[row][column] += chain;
        }
    }
    if (type == SumType::f16) round_to_halves(rows, sums);
}

void add_products(const RowFactors& a, const ColumnFactors& b, unsigned rows, unsigned inner,
                  SumModel model, SumType type, Sums& sums) {
    for (unsigned first = 0; first < inner; first += model.products) {
        const unsigned last = std::min<unsigned>(inner, first + model.products);
        for (unsigned row = 0; row < rows; ++row)
            add_step({a, b, row, first, last, model, type}, sums.of[row]);
        if (type == SumType::f16) round_to_halves(rows, sums);
    }
}

}  // namespace emulator::simt
