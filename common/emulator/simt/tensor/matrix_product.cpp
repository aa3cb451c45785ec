#include "emulator/simt/tensor/matrix_product.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "emulator/simt/alu/lanes.hpp"
#include "emulator/simt/alu/values/half_values.hpp"
#include "emulator/simt/tensor/column_vectors.hpp"
#include "emulator/simt/tensor/matrix_elements.hpp"

namespace emulator::simt {
namespace {

// ---- C and D: element `j` of lane 4 g + t in row group h is [g + 8 h][2 t + j], so 2 lane + j among those of the group ----------

constexpr unsigned group_elements = 8 * columns;

template <class T>
void put_lanes(Warp& warp, RegisterOffset to, const T (&values)[warp_size]) {
    if (warp.mask == all_lanes)
        std::memcpy(warp.lanes<T>(to), values, sizeof values);
    else
        blend_lanes(warp.lanes<T>(to), values, warp.mask);
}

template <class T>
void gather_results(Warp& warp, std::span<const RegisterOffset> registers, unsigned groups,
                    T (*matrix)[columns]) {
    for (unsigned group = 0; group < groups; ++group) {
        const T* const even = warp.lanes<T>(registers[2 * group]);
        const T* const odd = warp.lanes<T>(registers[2 * group + 1]);
        T elements[group_elements];
        for (unsigned lane = 0; lane < warp_size; ++lane) {
            elements[2 * lane] = even[lane];
            elements[2 * lane + 1] = odd[lane];
        }
        std::memcpy(matrix[8 * group], elements, sizeof elements);
    }
}

template <class T>
void scatter_results(Warp& warp, std::span<const RegisterOffset> registers, unsigned groups,
                     const T (*matrix)[columns]) {
    for (unsigned group = 0; group < groups; ++group) {
        T elements[group_elements], even[warp_size], odd[warp_size];
        std::memcpy(elements, matrix[8 * group], sizeof elements);
        for (unsigned lane = 0; lane < warp_size; ++lane) {
            even[lane] = elements[2 * lane];
            odd[lane] = elements[2 * lane + 1];
        }
        put_lanes(warp, registers[2 * group], even);
        put_lanes(warp, registers[2 * group + 1], odd);
    }
}

void gather_halves(Warp& warp, std::span<const RegisterOffset> registers, unsigned groups,
                   float (*matrix)[columns]) {
    for (unsigned group = 0; group < groups; ++group) {
        const std::uint16_t* const halves = warp.lanes<std::uint16_t>(registers[group]);
        float elements[group_elements];
        for (unsigned i = 0; i < group_elements; ++i) elements[i] = Half::to_float(halves[i]);
        std::memcpy(matrix[8 * group], elements, sizeof elements);
    }
}

void scatter_halves(Warp& warp, std::span<const RegisterOffset> registers, unsigned groups,
                    const float (*matrix)[columns]) {
    for (unsigned group = 0; group < groups; ++group) {
        float elements[group_elements];
        std::memcpy(elements, matrix[8 * group], sizeof elements);
        std::uint16_t halves[group_elements];
        for (unsigned i = 0; i < group_elements; ++i) halves[i] = Half::from_float(elements[i]);
        std::uint32_t pairs[warp_size];
        std::memcpy(pairs, halves, sizeof pairs);
        put_lanes(warp, registers[group], pairs);
    }
}

// FP32 results that are NaN have one pattern.
void scatter_floats(Warp& warp, std::span<const RegisterOffset> registers, unsigned groups,
                    float (*matrix)[columns]) {
    for (unsigned row = 0; row < 8 * groups; ++row) {
        for (float& element : matrix[row]) element = canonical(element);
    }
    scatter_results(warp, registers, groups, matrix);
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
        const unsigned pieces = detail.row_bytes() / piece_bytes;
        const unsigned groups = detail.rows / 8;
        a.gather(warp, std::span(detail.a).first(groups * pieces), groups, piece_bytes);
        b.gather(warp, std::span(detail.b).first(pieces), 1, piece_bytes);
        if (!detail.sum.adds_last) return;
        for (unsigned row = 0; row < detail.rows; ++row)
            split_words(a.rows[row], detail.row_bytes());
        for (std::byte(&column)[max_row_bytes] : b.rows) split_words(column, detail.row_bytes());
    }

  private:
    // FP8 on Hopper: of each word of four, two elements are converted to FP16 and multiplied, then the other two (machine code
    // for sm_90).
    static void split_words(std::byte (&row)[max_row_bytes], unsigned bytes) {
        std::uint16_t pairs[max_row_bytes / 2], split[max_row_bytes / 2];
        std::memcpy(pairs, row, bytes);
        const unsigned words = bytes / 4;
        for (unsigned i = 0; i < words; ++i) {
            split[i] = pairs[2 * i];
            split[words + i] = pairs[2 * i + 1];
        }
        std::memcpy(row, split, bytes);
    }
};

// The sum at hand is added last, by an addition of FP32.
void add_to_sums(const RowFactors& a, const ColumnFactors& b, const MatrixProductDetail& detail,
                 Sums& sums) {
    Sums products{};
    add_products(a, b, detail.rows, detail.inner, detail.sum, sum_type(detail), products);
    for (unsigned row = 0; row < detail.rows; ++row) {
        for (unsigned column = 0; column < columns; ++column)
            sums.of[row][column] += products.of[row][column];
    }
}

// A chain of fused multiply-adds along k, rounded to nearest.
void multiply_doubles(Warp& warp, const MatrixProductDetail& detail) {
    const Pieces pieces(warp, detail);
    const unsigned groups = detail.rows / 8;
    constexpr unsigned most = max_row_bytes / sizeof(double);
    double sums[max_rows][columns]{}, b[most][columns];
    gather_results(warp, detail.c, groups, sums);
    to_rows(pieces.b, sizeof(double), detail.inner, reinterpret_cast<std::byte*>(b));
    for (unsigned row = 0; row < detail.rows; ++row) {
        double a[most];
        std::memcpy(a, pieces.a.rows[row], sizeof(a));
        for (unsigned k = 0; k < detail.inner; ++k) {
            for (unsigned column = 0; column < columns; ++column)
                sums[row][column] = __builtin_fma(a[k], b[k][column], sums[row][column]);
        }
    }
    scatter_results(warp, detail.d, groups, sums);
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
        for (unsigned i = 0; i < 4; ++i)
            put(place, i, warp.lanes<std::uint16_t>(registers[i / 2])[2 * lane + i % 2]);
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
    RowBytes<max_rows> of_a;
    std::uint16_t of_b[4][columns];
    for_quad_elements(warp, detail.a, quad, [&](unsigned place, unsigned i, std::uint16_t bits) {
        const bool by_column = detail.a_is_column_major;
        std::memcpy(of_a.rows[by_column ? i + place / 4 * 4 : place] +
                        (by_column ? place % 4 : i) * sizeof bits,
                    &bits, sizeof bits);
    });
    for_quad_elements(warp, detail.b, quad, [&](unsigned place, unsigned i, std::uint16_t bits) {
        const bool by_row = detail.b_is_row_major;
        of_b[by_row ? place % 4 : i][by_row ? i + place / 4 * 4 : place] = bits;
    });
    RowFactors a;
    ColumnFactors b;
    to_factors(MatrixType::f16, of_a, 8, 4, a);
    to_factors(MatrixType::f16, reinterpret_cast<const std::byte*>(of_b), 4 * columns, b);
    Sums sums;
    for_quad_sums(quad, detail.c_type, [&](unsigned lane, unsigned i, Place at) {
        sums.of[at.row][at.column] =
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
        const float sum = sums.of[at.row][at.column];
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
    : detail_(detail), rows_(rows) {
    if (detail.a_type == MatrixType::b1) return;
    if (!is_integer(detail.a_type))
        to_factors(detail.a_type, rows, detail.rows, detail.inner, floats_);
    for (unsigned row = 0; row < detail.rows; ++row) {
        if (is_integer(detail.a_type))
            to_integers(detail.a_type, rows.rows[row], detail.row_bytes(), integers_[row]);
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
    std::byte elements[columns * max_row_bytes];
    to_rows(of_b, bits_of(detail_.b_type) / 8, detail_.inner, elements);
    ColumnFactors b;
    to_factors(detail_.b_type, elements, detail_.inner * columns, b);
    Sums sums{};
    if (!c.empty()) {
        if (detail_.c_type == ResultType::f16)
            gather_halves(warp, c, groups, sums.of);
        else
            gather_results(warp, c, groups, sums.of);
    }
    if (detail_.sum.adds_last) {
        add_to_sums(floats_, b, detail_, sums);
    } else {
        add_products(floats_, b, detail_.rows, detail_.inner, detail_.sum, sum_type(detail_), sums);
    }
    if (detail_.d_type == ResultType::f16) {
        scatter_halves(warp, d, groups, sums.of);
    } else {
        scatter_floats(warp, d, groups, sums.of);
    }
}

// Sums of at most 256 products of at most 2^16.
void LeftMatrix::sum_integers(const RowBytes<columns>& of_b, std::int32_t (*sums)[columns]) const {
    std::byte elements[columns * max_row_bytes];
    to_rows(of_b, 1, detail_.row_bytes(), elements);
    alignas(64) std::int32_t b[max_inner][columns];
    to_integers(detail_.b_type, elements, detail_.row_bytes() * columns, b[0]);
    for (unsigned row = 0; row < detail_.rows; ++row) {
        Integers sum{};
        for (unsigned k = 0; k < detail_.inner; ++k) sum += as<Integers>(b[k]) * integers_[row][k];
        std::memcpy(sums[row], &sum, sizeof sum);
    }
}

void LeftMatrix::count_bits(const RowBytes<columns>& of_b, std::int32_t (*sums)[columns]) const {
    for (unsigned row = 0; row < detail_.rows; ++row) {
        for (unsigned column = 0; column < columns; ++column) {
            sums[row][column] = 0;
            for (unsigned at = 0; at < detail_.row_bytes(); at += sizeof(std::uint64_t)) {
                std::uint64_t a, b;
                std::memcpy(&a, rows_.rows[row] + at, sizeof a);
                std::memcpy(&b, of_b.rows[column] + at, sizeof b);
                sums[row][column] += std::popcount(detail_.is_and ? a & b : a ^ b);
            }
        }
    }
}

void LeftMatrix::multiply_integers(Warp& warp, const RowBytes<columns>& of_b,
                                   std::span<const RegisterOffset> c,
                                   std::span<const RegisterOffset> d) const {
    const unsigned groups = detail_.rows / 8;
    std::int32_t sums[max_rows][columns]{}, products[max_rows][columns]{};
    if (!c.empty()) gather_results(warp, c, groups, sums);
    if (detail_.a_type == MatrixType::b1)
        count_bits(of_b, products);
    else
        sum_integers(of_b, products);
    for (unsigned row = 0; row < detail_.rows; ++row) {
        for (unsigned column = 0; column < columns; ++column)
            sums[row][column] =
                wrapped(std::int64_t{sums[row][column]} + products[row][column], detail_.saturates);
    }
    scatter_results(warp, d, groups, sums);
}

void execute_matrix_product(Warp& warp, const Operation& operation) {
    const auto& detail = *static_cast<const MatrixProductDetail*>(operation.detail);
    if (detail.a_type == MatrixType::f64) return multiply_doubles(warp, detail);
    const Pieces pieces(warp, detail);
    LeftMatrix(detail, pieces.a).multiply(warp, pieces.b, detail.c, detail.d);
}

}  // namespace emulator::simt
