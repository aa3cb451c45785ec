#include "emulator/simt/tensor/fused_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "emulator/simt/alu/values/half_values.hpp"

namespace emulator::simt {
namespace {

double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

int exponent_of(double value, int smallest) {
    const auto field = static_cast<int>(bits_of(value) >> 52 & 0x7ff);
    return field == 0 ? zero_exponent : std::max(field - 1023, smallest);
}

// A row of D behind one step; `first`: of the products in it.
void add_step(const RowFactors& a, const ColumnFactors& b, unsigned row, unsigned first,
              unsigned last, SumModel model, const std::int32_t (&of_sums)[columns],
              double (&sums)[columns]) {
    alignas(64) std::int32_t largest[columns];
    std::ranges::copy(of_sums, largest);
    for (unsigned k = first; k < last; ++k) {
        const std::int32_t of_a = a.exponent[row][k];
        for (unsigned column = 0; column < columns; ++column)
            largest[column] = std::max(largest[column], of_a + b.exponent[k][column]);
    }
    alignas(64) double scale[columns], unit[columns];
    for (unsigned column = 0; column < columns; ++column) {
        scale[column] = power_of_two(model.fraction_bits - largest[column]);
        unit[column] = power_of_two(largest[column] - model.fraction_bits);
        sums[column] = 0.0 + __builtin_trunc(sums[column] * scale[column]);
    }
    for (unsigned k = first; k < last; ++k) {
        const double of_a = a.value[row][k];
        for (unsigned column = 0; column < columns; ++column)
            sums[column] += __builtin_trunc(of_a * b.value[k][column] * scale[column]);
    }
    for (unsigned column = 0; column < columns; ++column) sums[column] *= unit[column];
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

double rounded(double sum, SumModel model, SumType type) {
    if (type == SumType::f16) return Half::to_float(Half::from_float(round_to_odd(sum)));
    const float result = toward_zero(sum);
    if (model.result_bits == 23 || !std::isfinite(result)) return result;
    return float_of(bits_of(result) & ~0u << (23 - model.result_bits));
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

float toward_zero(double value) {
    const auto nearest = static_cast<float>(value);
    const bool is_beyond = __builtin_fabs(double{nearest}) > __builtin_fabs(value);
    const bool stays = !is_beyond || __builtin_fabs(value) >= 0x1p128;
    const float result = float_of(stays ? bits_of(nearest) : bits_of(nearest) - 1);
    return 0.0f + result;  // a zero is positive
}

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
            sums[row][column] =
                type == SumType::f16 ? Half::to_float(Half::from_float(sum)) : sum;
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
            double(&sum)[columns] = sums[row];
            double before[columns];
            std::int32_t exponents[columns];
            for (unsigned column = 0; column < columns; ++column) {
                before[column] = sum[column];
                exponents[column] = exponent_of(sum[column], smallest);
            }
            add_step(a, b, row, first, last, model, exponents, sum);
            if (is_special) [[unlikely]]
                add_special(a, b, row, first, last, before, sum);
            for (unsigned column = 0; column < columns; ++column)
                sum[column] = rounded(sum[column], model, type);
        }
    }
}

}  // namespace emulator::simt
