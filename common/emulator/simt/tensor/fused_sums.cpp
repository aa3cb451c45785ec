#include "emulator/simt/tensor/fused_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "emulator/simt/alu/values/half_values.hpp"

namespace emulator::simt {
namespace {

int exponent_of(double value, int smallest) {
    const auto field = static_cast<int>(bits_of(value) >> 52 & 0x7ff);
    return field == 0 ? zero_exponent : std::max(field - 1023, smallest);
}

// The nearest to zero of the two FP32 numbers beside each value; infinity from 2^128 on.
inline float truncated(double value) {
    const auto nearest = static_cast<float>(value);
    const double magnitude = __builtin_fabs(value);
    const bool is_beyond = __builtin_fabs(double{nearest}) > magnitude && magnitude < 0x1p128;
    // A zero is positive.
    return 0.0f + float_of(bits_of(nearest) - static_cast<std::uint32_t>(is_beyond));
}

// The columns of a row, side by side in the host's vector registers.
using Numbers = double __attribute__((vector_size(columns * sizeof(double)), may_alias));
using Integers =
    std::int32_t __attribute__((vector_size(columns * sizeof(std::int32_t)), may_alias));
using Wrapping = std::uint32_t __attribute__((vector_size(columns * sizeof(std::int32_t))));
using Bits = std::int64_t __attribute__((vector_size(columns * sizeof(std::int64_t))));

template <class Vector, class Element>
const Vector& as(const Element (&from)[columns]) {
    return reinterpret_cast<const Vector&>(from);
}

void set_powers_of_two(const Integers& exponents, Numbers& powers) {
    const Bits bits = __builtin_convertvector(exponents + 1023, Bits) << 52;
    std::memcpy(&powers, &bits, sizeof powers);
}

// A row of D behind one step, of the products first to last - 1; `smallest`: the exponent of the sums' subnormal numbers.
void add_step(const RowFactors& a, const ColumnFactors& b, unsigned row, unsigned first,
              unsigned last, SumModel model, int smallest, double (&of_row)[columns]) {
    Integers largest;
    for (unsigned column = 0; column < columns; ++column)
        largest[column] = exponent_of(of_row[column], smallest);
    for (unsigned k = first; k < last; ++k) {
        const Integers of_product = as<Integers>(b.exponent[k]) + a.exponent[row][k];
        largest = of_product > largest ? of_product : largest;
    }
    Numbers sums, scale, unit;
    std::memcpy(&sums, of_row, sizeof sums);
    set_powers_of_two(model.fraction_bits - largest, scale);
    set_powers_of_two(largest - model.fraction_bits, unit);
    // Conversions to integers truncate. Of 25 fraction bits, eight products below 4 are below 2^30. Infinities and NaNs may
    // overflow: add_special() replaces their sums.
    constexpr unsigned in_32_bits = 8;
    sums = __builtin_convertvector(__builtin_convertvector(sums * scale, Integers), Numbers);
    for (unsigned k = first; k < last;) {
        Wrapping some{};
        for (const unsigned end = std::min(last, k + in_32_bits); k < end; ++k) {
            const Numbers products = a.value[row][k] * as<Numbers>(b.value[k]) * scale;
            some += reinterpret_cast<Wrapping>(__builtin_convertvector(products, Integers));
        }
        sums += __builtin_convertvector(reinterpret_cast<Integers>(some), Numbers);
    }
    sums *= unit;
    std::memcpy(of_row, &sums, sizeof sums);
}

// Infinities and NaNs: those results that are not finite, whatever the order of the sum.
void add_special(const RowFactors& a, const ColumnFactors& b, unsigned row, unsigned first,
                 unsigned last, const double (&before)[columns], double (&sums)[columns]) {
    for (unsigned column = 0; column < columns; ++column) {
        double sum = before[column];
        for (unsigned k = first; k < last; ++k) sum += a.value[row][k] * b.value[k][column];
        if (!std::isfinite(sum))
            sums[column] = std::isnan(sum) ? std::numeric_limits<double>::quiet_NaN() : sum;
    }
}

void round(SumModel model, SumType type, double (&sums)[columns]) {
    if (type == SumType::f16) {
        for (double& sum : sums) sum = Half::to_float(Half::from_float(round_to_odd(sum)));
        return;
    }
    const std::uint32_t kept = ~0u << (23 - model.result_bits);
    for (double& sum : sums) {
        const float result = truncated(sum);
        // Infinities and NaNs keep their bits.
        const std::uint32_t mask = (bits_of(result) & 0x7f800000u) == 0x7f800000u ? ~0u : kept;
        sum = float_of(bits_of(result) & mask);
    }
}

bool has_special(const RowFactors& a, const ColumnFactors& b, unsigned rows, unsigned inner,
                 const double (*sums)[columns]) {
    constexpr int not_finite = 1024;
    int most = 0;
    for (unsigned row = 0; row < rows; ++row) {
        for (unsigned k = 0; k < inner; ++k) most = std::max(most, a.exponent[row][k]);
    }
    for (unsigned k = 0; k < inner; ++k) {
        for (unsigned column = 0; column < columns; ++column)
            most = std::max(most, b.exponent[k][column]);
    }
    for (unsigned row = 0; row < rows; ++row) {
        for (unsigned column = 0; column < columns; ++column)
            most = std::max(most, exponent_of(sums[row][column], zero_exponent));
    }
    return most >= not_finite;
}

}  // namespace

void add_in_chains(const RowFactors& a, const ColumnFactors& b, unsigned rows, unsigned inner,
                   SumType type, double (*sums)[columns]) {
    for (unsigned row = 0; row < rows; ++row) {
        for (unsigned column = 0; column < columns; ++column) {
            float chain = 0;
            for (unsigned k = 0; k < inner; ++k) {
                chain = __builtin_fmaf(static_cast<float>(a.value[row][k]),
                                       static_cast<float>(b.value[k][column]), chain);
            }
            const float sum = static_cast<float>(sums[row][column]) + chain;
            sums[row][column] = type == SumType::f16 ? Half::to_float(Half::from_float(sum)) : sum;
        }
    }
}

void add_products(const RowFactors& a, const ColumnFactors& b, unsigned rows, unsigned inner,
                  SumModel model, SumType type, double (*sums)[columns]) {
    const bool is_special = has_special(a, b, rows, inner, sums);
    const int smallest = type == SumType::f16 ? -14 : -126;
    for (unsigned first = 0; first < inner; first += model.products) {
        const unsigned last = std::min<unsigned>(inner, first + model.products);
        for (unsigned row = 0; row < rows; ++row) {
            double (&sum)[columns] = sums[row];
            double before[columns];
            std::ranges::copy(sum, before);
            add_step(a, b, row, first, last, model, smallest, sum);
            if (is_special) [[unlikely]]
                add_special(a, b, row, first, last, before, sum);
            round(model, type, sum);
        }
    }
}

}  // namespace emulator::simt
