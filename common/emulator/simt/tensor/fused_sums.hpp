// The sums of a matrix product D = A B + C as tensor cores form them: pure functions of the elements.
#pragma once

#include <cstdint>

#include "emulator/simt/tensor/column_vectors.hpp"
#include "emulator/simt/tensor/sum_model.hpp"

namespace emulator::simt {

// Rows of A and D, inner dimension: at most these.
constexpr unsigned max_rows = 16, max_inner = 64;

// The exponent of zero takes no part in the alignment: it is below those of all products. Infinities and NaNs are beyond all of them.
constexpr std::int32_t zero_exponent = -1000, special_exponent = 4000;

// Exact values with the exponents of their formats: of a subnormal number the smallest exponent of the format.
template <unsigned rows, unsigned row_elements>
struct Factors {
    alignas(64) float value[rows][row_elements];
    alignas(64) std::int32_t exponent[rows][row_elements];
};
using RowFactors = Factors<max_rows, max_inner>;    // of A, by row
using ColumnFactors = Factors<max_inner, columns>;  // of B, by its row
struct Sums {
    alignas(64) float of[max_rows][columns];
};

enum class SumType : std::uint8_t { f32, f16 };

// sums[row][column] += A[row][k] B[k][column] over all k, as `model` has it. Errors: each of the ceil(inner / model.products)
// steps truncates its products + 1 terms to 2^-fraction_bits of the largest exponent, and its result to the type.
void add_products(const RowFactors& a, const ColumnFactors& b, unsigned rows, unsigned inner,
                  SumModel model, SumType type, Sums& sums);

// The same by multiply-adds of FP32, one after another, and the sum at hand last.
void add_in_chains(const RowFactors& a, const ColumnFactors& b, unsigned rows, unsigned inner,
                   SumType type, Sums& sums);

}  // namespace emulator::simt
