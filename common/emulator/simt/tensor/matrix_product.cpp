#include "emulator/simt/tensor/matrix_product.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

#include "emulator/simt/alu/values/half_values.hpp"
#include "emulator/simt/tensor/fused_sums.hpp"
#include "emulator/simt/tensor/matrix_elements.hpp"

namespace emulator::simt {
namespace {

// ---- C and D: element `j` of lane 4 g + t in row group h is [g + 8 h][2 t + j] -----------------------------------------------

template <class T, class Number>
void gather_results(Warp& warp, std::span<const RegisterOffset> registers, unsigned groups,
                    Number (*matrix)[columns]) {
    for (unsigned i = 0; i < 2 * groups; ++i) {
        const T* const lanes = warp.lanes<T>(registers[i]);
        for (unsigned lane = 0; lane < warp_size; ++lane)
            matrix[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2] =
                static_cast<Number>(lanes[lane]);
    }
}

template <class T, class Number, class ToResult = std::identity>
void scatter_results(Warp& warp, std::span<const RegisterOffset> registers, unsigned groups,
                     const Number (*matrix)[columns], const ToResult& to_result = {}) {
    for (unsigned i = 0; i < 2 * groups; ++i) {
        T* const lanes = warp.lanes<T>(registers[i]);
        for (unsigned lane = 0; lane < warp_size; ++lane) {
            const Number value = matrix[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2];
            if ((warp.mask >> lane & 1) != 0) lanes[lane] = static_cast<T>(to_result(value));
        }
    }
}

void gather_halves(Warp& warp, std::span<const RegisterOffset> registers, unsigned groups,
                   double (*matrix)[columns]) {
    for (unsigned group = 0; group < groups; ++group) {
        const std::uint16_t* const halves = warp.lanes<std::uint16_t>(registers[group]);
        for (unsigned i = 0; i < 2 * warp_size; ++i)
            matrix[i / 8 + 8 * group][i % 8] = Half::to_float(halves[i]);
    }
}

void scatter_halves(Warp& warp, std::span<const RegisterOffset> registers, unsigned groups,
                    const double (*matrix)[columns]) {
    for (unsigned group = 0; group < groups; ++group) {
        std::uint16_t* const halves = warp.lanes<std::uint16_t>(registers[group]);
        for (unsigned i = 0; i < 2 * warp_size; ++i) {
            if ((warp.mask >> i / 2 & 1) == 0) continue;
            halves[i] = Half::from_float(static_cast<float>(matrix[i / 8 + 8 * group][i % 8]));
        }
    }
}

// FP32 results that are NaN have one pattern.
void scatter_floats(Warp& warp, std::span<const RegisterOffset> registers, unsigned groups,
                    const double (*matrix)[columns]) {
    scatter_results<float>(warp, registers, groups, matrix,
                           [](double value) { return canonical(static_cast<float>(value)); });
}

SumType sum_type(const MatrixProductDetail& detail) {
    return detail.d_type == ResultType::f16 ? SumType::f16 : SumType::f32;
}

// ---- by type ---------------------------------------------------------------------------------------------------------------

struct Pieces {
    RowBytes<max_rows> a;
    RowBytes<columns> b;

    Pieces(Warp& warp, const MatrixProductDetail& detail) {
        const unsigned piece_bytes = detail.a_type == MatrixType::f64 ? 32 : 16;
        const unsigned pieces = detail.inner * bits_of(detail.a_type) / (8 * piece_bytes);
        const unsigned groups = detail.rows / 8;
        a.gather(warp, std::span(detail.a).first(groups * pieces), groups, piece_bytes);
        b.gather(warp, std::span(detail.b).first(pieces), 1, piece_bytes);
    }
};

// FP8 on Hopper: of each word of four, two elements are converted to FP16 and multiplied, then the other two (machine code
// for sm_90), and the accumulator is added last.
void add_halves_of_words(const RowFactors& a, const ColumnFactors& b,
                         const MatrixProductDetail& detail, double (*sums)[columns]) {
    RowFactors of_a;
    ColumnFactors of_b;
    const unsigned half = detail.inner / 2;
    for (unsigned k = 0; k < detail.inner; ++k) {
        const unsigned to = k % 4 / 2 * half + k / 4 * 2 + k % 2;
        for (unsigned row = 0; row < detail.rows; ++row) {
            of_a.value[row][to] = a.value[row][k];
            of_a.exponent[row][to] = a.exponent[row][k];
        }
        for (unsigned column = 0; column < columns; ++column) {
            of_b.value[to][column] = b.value[k][column];
            of_b.exponent[to][column] = b.exponent[k][column];
        }
    }
    alignas(64) double products[max_rows][columns]{};
    add_products(of_a, of_b, detail.rows, detail.inner, detail.sum, sum_type(detail), products);
    for (unsigned row = 0; row < detail.rows; ++row) {
        for (unsigned column = 0; column < columns; ++column) {
            sums[row][column] =
                static_cast<float>(sums[row][column]) + static_cast<float>(products[row][column]);
        }
    }
}

template <class T>
void gather_or_clear(Warp& warp, std::span<const RegisterOffset> registers, unsigned groups,
                     T (*sums)[columns]) {
    if (registers.empty())
        std::fill_n(&sums[0][0], 8 * groups * columns, T{});
    else if constexpr (std::is_same_v<T, std::int32_t>)
        gather_results<std::int32_t>(warp, registers, groups, sums);
    else
        gather_results<float>(warp, registers, groups, sums);
}

// A chain of fused multiply-adds along k, rounded to nearest.
void multiply_doubles(Warp& warp, const MatrixProductDetail& detail) {
    const Pieces pieces(warp, detail);
    const unsigned groups = detail.rows / 8;
    double sums[max_rows][columns]{}, b[columns][max_row_bytes / 8];
    gather_results<double>(warp, detail.c, groups, sums);
    std::memcpy(b, pieces.b.rows, sizeof(b));
    for (unsigned row = 0; row < detail.rows; ++row) {
        double a[max_row_bytes / 8];
        std::memcpy(a, pieces.a.rows[row], sizeof(a));
        for (unsigned k = 0; k < detail.inner; ++k) {
            for (unsigned column = 0; column < columns; ++column)
                sums[row][column] = __builtin_fma(a[k], b[column][k], sums[row][column]);
        }
    }
    scatter_results<double>(warp, detail.d, groups, sums);
}

std::int32_t wrapped(std::int64_t sum, bool saturates) {
    using Limits = std::numeric_limits<std::int32_t>;
    if (saturates) sum = std::clamp<std::int64_t>(sum, Limits::min(), Limits::max());
    return static_cast<std::int32_t>(static_cast<std::uint64_t>(sum));
}

// ---- m8n8k4 of FP16 ----------------------------------------------------------------------------------------------------------

struct Place {
    unsigned row, column;
};

// Element i of a lane of C and D, in its pair of quads.
Place place_of_sum(unsigned lane, unsigned i, ResultType type) {
    const unsigned half = lane < 16 ? 0 : 4;
    if (type == ResultType::f16) return {lane % 4 + half, i};
    return {(lane & 1) + (i & 2) + half, (i & 4) + (lane & 2) + (i & 1)};
}

// Four halves of a lane: a row of four, or a column.
template <class Put>
void for_quad_elements(Warp& warp, std::span<const RegisterOffset> registers, unsigned quad,
                       const Put& put) {
    for (unsigned place = 0; place < 8; ++place) {
        const unsigned lane = 4 * quad + place % 4 + (place < 4 ? 0 : 16);
        for (unsigned i = 0; i < 4; ++i) {
            const std::uint16_t* const halves = warp.lanes<std::uint16_t>(registers[i / 2]);
            const double value = Half::to_float(halves[2 * lane + i % 2]);
            put(place, i, value);
        }
    }
}

template <class Each>
void for_quad_sums(unsigned quad, ResultType type, const Each& each) {
    for (unsigned place = 0; place < 8; ++place) {
        const unsigned lane = 4 * quad + place % 4 + (place < 4 ? 0 : 16);
        for (unsigned i = 0; i < columns; ++i) each(lane, i, place_of_sum(lane, i, type));
    }
}

void multiply_quads(Warp& warp, const MatrixProductDetail& detail, unsigned quad) {
    double values[8][4], of_b[4][8];
    for_quad_elements(warp, detail.a, quad, [&](unsigned place, unsigned i, double value) {
        const bool by_column = detail.a_is_column_major;
        values[by_column ? i + place / 4 * 4 : place][by_column ? place % 4 : i] = value;
    });
    for_quad_elements(warp, detail.b, quad, [&](unsigned place, unsigned i, double value) {
        const bool by_row = detail.b_is_row_major;
        of_b[by_row ? place % 4 : i][by_row ? i + place / 4 * 4 : place] = value;
    });
    RowFactors a;
    ColumnFactors b;
    for (unsigned row = 0; row < 8; ++row)
        set_halves(values[row], 4, a.value[row], a.exponent[row]);
    for (unsigned k = 0; k < 4; ++k) set_halves(of_b[k], columns, b.value[k], b.exponent[k]);
    double sums[8][columns];
    for_quad_sums(quad, detail.c_type, [&](unsigned lane, unsigned i, Place at) {
        sums[at.row][at.column] =
            detail.c_type == ResultType::f16
                ? Half::to_float(warp.lanes<std::uint16_t>(detail.c[i / 2])[2 * lane + i % 2])
                : warp.lanes<float>(detail.c[i])[lane];
    });
    if (detail.sum.adds_last) {
        add_in_chains(a, b, 8, 4, sum_type(detail), sums);
    } else {
        add_products(a, b, 8, 4, detail.sum, sum_type(detail), sums);
    }
    for_quad_sums(quad, detail.d_type, [&](unsigned lane, unsigned i, Place at) {
        if ((warp.mask >> lane & 1) == 0) return;
        const auto sum = static_cast<float>(sums[at.row][at.column]);
        if (detail.d_type == ResultType::f16)
            warp.lanes<std::uint16_t>(detail.d[i / 2])[2 * lane + i % 2] = Half::from_float(sum);
        else
            warp.lanes<float>(detail.d[i])[lane] = canonical(sum);
    });
}

}  // namespace

void execute_quad_products(Warp& warp, const Operation& operation) {
    const auto& detail = *static_cast<const MatrixProductDetail*>(operation.detail);
    for (unsigned quad = 0; quad < 4; ++quad) multiply_quads(warp, detail, quad);
}

LeftMatrix::LeftMatrix(const MatrixProductDetail& detail, const RowBytes<max_rows>& rows,
                       bool is_negated)
    : detail_(detail) {
    for (unsigned row = 0; row < detail.rows; ++row) {
        if (is_integer(detail.a_type)) {
            to_integers(detail.a_type, rows.rows[row], detail.inner, integers_[row]);
            continue;
        }
        to_factors(detail.a_type, rows.rows[row], detail.inner, floats_.value[row],
                   floats_.exponent[row]);
        if (!is_negated) continue;
        for (unsigned k = 0; k < detail.inner; ++k) floats_.value[row][k] *= -1;
    }
}

void LeftMatrix::multiply(Warp& warp, const RowBytes<columns>& b, std::span<const RegisterOffset> c,
                          std::span<const RegisterOffset> d) const {
    if (is_integer(detail_.a_type))
        multiply_integers(warp, b, c, d);
    else
        multiply_floats(warp, b, c, d);
}

void LeftMatrix::multiply_floats(Warp& warp, const RowBytes<columns>& of_b,
                                 std::span<const RegisterOffset> c,
                                 std::span<const RegisterOffset> d) const {
    const unsigned groups = detail_.rows / 8;
    ColumnFactors b;
    for (unsigned column = 0; column < columns; ++column) {
        double values[max_inner];
        std::int32_t exponents[max_inner];
        to_factors(detail_.b_type, of_b.rows[column], detail_.inner, values, exponents);
        for (unsigned k = 0; k < detail_.inner; ++k) {
            b.value[k][column] = values[k];
            b.exponent[k][column] = exponents[k];
        }
    }
    alignas(64) double sums[max_rows][columns];
    if (detail_.c_type == ResultType::f16 && !c.empty())
        gather_halves(warp, c, groups, sums);
    else
        gather_or_clear(warp, c, groups, sums);
    if (detail_.sum.adds_last) {
        add_halves_of_words(floats_, b, detail_, sums);
    } else {
        add_products(floats_, b, detail_.rows, detail_.inner, detail_.sum, sum_type(detail_), sums);
    }
    if (detail_.d_type == ResultType::f16) {
        scatter_halves(warp, d, groups, sums);
    } else {
        scatter_floats(warp, d, groups, sums);
    }
}

void LeftMatrix::multiply_integers(Warp& warp, const RowBytes<columns>& of_b,
                                   std::span<const RegisterOffset> c,
                                   std::span<const RegisterOffset> d) const {
    const unsigned groups = detail_.rows / 8;
    const bool is_exclusive = detail_.a_type == MatrixType::b1 && !detail_.is_and;
    std::int32_t b[columns][max_integers], sums[max_rows][columns];
    for (unsigned column = 0; column < columns; ++column)
        to_integers(detail_.b_type, of_b.rows[column], detail_.inner, b[column]);
    gather_or_clear(warp, c, groups, sums);
    for (unsigned row = 0; row < detail_.rows; ++row) {
        const std::int32_t* const a = integers_[row];
        for (unsigned column = 0; column < columns; ++column) {
            std::int32_t sum = 0;  // of at most 256 products of at most 2^16
            for (unsigned k = 0; k < detail_.inner; ++k)
                sum += is_exclusive ? a[k] ^ b[column][k] : a[k] * b[column][k];
            sums[row][column] = wrapped(std::int64_t{sums[row][column]} + sum, detail_.saturates);
        }
    }
    scatter_results<std::int32_t>(warp, d, groups, sums);
}

void execute_matrix_product(Warp& warp, const Operation& operation) {
    const auto& detail = *static_cast<const MatrixProductDetail*>(operation.detail);
    if (detail.a_type == MatrixType::f64) return multiply_doubles(warp, detail);
    const Pieces pieces(warp, detail);
    LeftMatrix(detail, pieces.a).multiply(warp, pieces.b, detail.c, detail.d);
}

}  // namespace emulator::simt
