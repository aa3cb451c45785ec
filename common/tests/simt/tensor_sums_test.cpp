// Sums of tensor cores against integer arithmetic that follows the published models literally, to the bit: random patterns of every type, with
// subnormal numbers, cancellation, infinities, NaNs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "emulator/simt/tensor/matrix_product.hpp"

namespace {

using namespace emulator::simt;

// ---- the reference: numbers are whole numbers times powers of two ------------------------------------------------------------------

struct Format {
    int exponent_bits, fraction_bits;
    bool has_infinity = true;  // else the largest pattern alone is NaN
    int bits = 1 + exponent_bits + fraction_bits;

    int smallest_exponent() const { return 2 - (1 << (exponent_bits - 1)); }
};
constexpr Format half{5, 10}, brain{8, 7}, tf32{8, 10}, single{8, 23}, e4m3{4, 3, false},
    e5m2{5, 2};

enum class Kind { finite, infinite, nan };
struct Number {
    Kind kind;
    bool is_negative;
    std::int64_t significand;  // a finite number is it times 2^(exponent - fraction bits)
    int exponent;
};

Number decode(std::uint32_t bits, const Format& format) {
    const std::uint32_t all = (1u << format.exponent_bits) - 1;
    const std::uint32_t fraction = bits & ((1u << format.fraction_bits) - 1);
    const std::uint32_t field = bits >> format.fraction_bits & all;
    const bool is_negative = (bits >> (format.bits - 1) & 1) != 0;
    const bool is_nan =
        field == all &&
        (format.has_infinity ? fraction != 0 : fraction == (1u << format.fraction_bits) - 1);
    if (is_nan) return {Kind::nan, is_negative, 0, 0};
    if (field == all && format.has_infinity) return {Kind::infinite, is_negative, 0, 0};
    const std::int64_t hidden = field == 0 ? 0 : std::int64_t{1} << format.fraction_bits;
    const int above = std::max(static_cast<int>(field), 1) - 1;
    return {Kind::finite, is_negative, hidden + fraction, format.smallest_exponent() + above};
}

// magnitude times 2^exponent, towards zero or to nearest even.
std::int64_t shifted(std::int64_t magnitude, int exponent, bool to_nearest = false) {
    if (exponent >= 0) return magnitude << exponent;
    if (exponent < -62) return 0;
    const std::int64_t whole = magnitude >> -exponent, rest = magnitude - (whole << -exponent);
    const std::int64_t middle = std::int64_t{1} << (-exponent - 1);
    const bool is_up = rest > middle || (rest == middle && (whole & 1) != 0);
    return whole + (to_nearest && is_up ? 1 : 0);
}

// The bits of magnitude times 2^exponent.
std::uint32_t encode(std::int64_t magnitude, int exponent, const Format& format, bool to_nearest) {
    if (magnitude == 0) return 0;
    const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(magnitude)));
    const int of_number = std::max(width - 1 + exponent, format.smallest_exponent());
    const std::int64_t significand =
        shifted(magnitude, exponent - of_number + format.fraction_bits, to_nearest);
    const std::int64_t above = of_number - format.smallest_exponent();
    const std::int64_t infinity = ((std::int64_t{1} << format.exponent_bits) - 1)
                                  << format.fraction_bits;
    return static_cast<std::uint32_t>(
        std::min((above << format.fraction_bits) + significand, infinity));
}

// Of one sum.
struct Factors {
    const Number *a, *b;
    int fraction_bits;  // of a product
};

// One step: the sum at hand and the products first to last - 1.
std::uint32_t add(const Factors& factors, std::size_t first, std::size_t last, std::uint32_t before,
                  const Format& result, const SumModel& model) {
    const bool is_single = result.bits == 32;
    const Number sum = decode(before, result);
    bool is_nan = sum.kind == Kind::nan;
    std::array<bool, 2> infinities{};  // positive, negative
    if (sum.kind == Kind::infinite) infinities[sum.is_negative] = true;
    int largest = sum.significand != 0 ? sum.exponent : -10000;
    for (std::size_t k = first; k < last; ++k) {
        const Number &a = factors.a[k], &b = factors.b[k];
        const auto is_zero = [](const Number& x) {
            return x.kind == Kind::finite && x.significand == 0;
        };
        const bool is_infinite = a.kind == Kind::infinite || b.kind == Kind::infinite;
        is_nan |= a.kind == Kind::nan || b.kind == Kind::nan ||
                  (is_infinite && (is_zero(a) || is_zero(b)));
        if (is_infinite) infinities[a.is_negative != b.is_negative] = true;
        if (!is_zero(a) && !is_zero(b)) largest = std::max(largest, a.exponent + b.exponent);
    }
    const std::uint32_t nan = is_single ? 0x7fffffff : 0x7fff;
    const std::uint32_t infinity = is_single ? 0x7f800000 : 0x7c00;
    const std::uint32_t sign = 1u << (result.bits - 1);
    if (is_nan || (infinities[0] && infinities[1])) return nan;
    if (infinities[0] || infinities[1]) return infinities[1] ? infinity | sign : infinity;
    if (largest == -10000) return 0;
    const auto aligned = [&](std::int64_t magnitude, bool is_negative, int exponent, int fraction) {
        const std::int64_t term =
            shifted(magnitude, exponent - largest - fraction + model.fraction_bits);
        return is_negative ? -term : term;
    };
    std::int64_t total =
        aligned(sum.significand, sum.is_negative, sum.exponent, result.fraction_bits);
    for (std::size_t k = first; k < last; ++k) {
        const Number &a = factors.a[k], &b = factors.b[k];
        total += aligned(a.significand * b.significand, a.is_negative != b.is_negative,
                         a.exponent + b.exponent, factors.fraction_bits);
    }
    std::uint32_t bits =
        encode(total < 0 ? -total : total, largest - model.fraction_bits, result, !is_single);
    if (is_single && bits != infinity) bits &= ~0u << (23 - model.result_bits);
    return total < 0 ? bits | sign : bits;
}

// ---- a warp's product ------------------------------------------------------------------------------------------------------------

struct Elements {
    MatrixType type;
    Format format;
};
constexpr Elements halves{MatrixType::f16, half}, brains{MatrixType::bf16, brain},
    tf32s{MatrixType::tf32, tf32}, e4m3s{MatrixType::e4m3, e4m3}, e5m2s{MatrixType::e5m2, e5m2};

struct Case {
    Elements a, b;
    ResultType type;
    unsigned inner, capability;
    bool is_of_warpgroups = false;
};

enum class Mode { any_bits, near, with_zeros, cancelling, greatest, tiny, with_specials, ties };
constexpr Mode modes[] = {Mode::any_bits, Mode::near, Mode::with_zeros,    Mode::cancelling,
                          Mode::greatest, Mode::tiny, Mode::with_specials, Mode::ties};

std::uint32_t random_number(std::mt19937& random, const Format& format, Mode mode) {
    const auto all = static_cast<std::uint32_t>(~0ull >> (64 - format.bits));
    const std::uint32_t bits = static_cast<std::uint32_t>(random()) & all;
    const std::uint32_t exponents = (1u << format.exponent_bits) - 1;
    const auto with_exponent = [&](std::uint32_t field) {
        const std::uint32_t others = bits & ~(exponents << format.fraction_bits);
        return others | field << format.fraction_bits;
    };
    const std::uint32_t fractions = (1u << format.fraction_bits) - 1;
    const std::uint32_t one = exponents / 2, zero = bits & ~(all >> 1);
    const std::uint32_t common = with_exponent(one - 2 + static_cast<std::uint32_t>(random() % 5));
    switch (mode) {
        case Mode::any_bits:
            return bits;
        case Mode::near:
        case Mode::cancelling:
            return common;
        case Mode::with_zeros:
            return random() % 3 != 0 ? zero : common;
        case Mode::greatest:
            return random() % 64 == 0 ? with_exponent(one)
                                      : (one << format.fraction_bits | fractions);
        case Mode::tiny:
            return with_exponent(static_cast<std::uint32_t>(random() % 3));
        default:
            if (random() % 40 == 0) return with_exponent(exponents);
            return random() % 3 == 0 ? zero : common;
    }
}

class Product {
  public:
    Product(const Case& which, Mode mode, std::mt19937& random) : case_(which) {
        for (auto* const matrix : {&a_, &b_}) {
            const Format& format = (matrix == &a_ ? which.a : which.b).format;
            matrix->resize((matrix == &a_ ? max_rows : columns) * which.inner);
            for (std::uint32_t& bits : *matrix) bits = random_number(random, format, mode);
        }
        c_.resize(max_rows * columns);
        for (std::uint32_t& bits : c_) bits = random_number(random, result(), mode);
        if (mode == Mode::tiny && result().bits == 32) align_sums_with_tiny_products(random);
        if (mode == Mode::ties) make_ties(random);
        if (mode != Mode::cancelling) return;
        // Neighbours cancel but for an element now and then.
        for (auto* const matrix : {&a_, &b_}) {
            const int bits = (matrix == &a_ ? which.a : which.b).format.bits;
            for (std::size_t i = 0; i < matrix->size(); i += 2) {
                if (random() % 8 != 0)
                    (*matrix)[i + 1] = (*matrix)[i] ^ (matrix == &a_ ? 1u << (bits - 1) : 0);
            }
        }
    }

    std::vector<std::uint32_t> expected() const {
        const SumModel model = this->model();
        const auto a = numbers(a_, case_.a.format), b = numbers(b_, case_.b.format);
        const int fraction_bits = case_.a.format.fraction_bits + case_.b.format.fraction_bits;
        std::vector<std::uint32_t> results;
        for (unsigned i = 0; i < max_rows * columns; ++i) {
            const Factors factors{&a[i / columns * case_.inner], &b[i % columns * case_.inner],
                                  fraction_bits};
            std::uint32_t sum = c_[i];
            for (unsigned k = 0; k < case_.inner; k += model.products)
                sum = add(factors, k, std::min<unsigned>(case_.inner, k + model.products), sum,
                          result(), model);
            results.push_back(sum);
        }
        return results;
    }

    // Fragments as those of mma.m16n8 in the PTX manual.
    std::vector<std::uint32_t> executed() const {
        alignas(64) std::byte registers[16 * 128]{};
        MatrixProductDetail detail;
        detail.a_type = case_.a.type;
        detail.b_type = case_.b.type;
        detail.c_type = detail.d_type = case_.type;
        detail.inner = static_cast<std::uint16_t>(case_.inner);
        detail.sum = model();
        for (unsigned i = 0; i < 4; ++i) {
            detail.a[i] = 128 * i;
            detail.b[i] = 128 * (4 + i);
            detail.c[i] = detail.d[i] = 128 * (8 + i);
        }
        const unsigned bytes = bits_of(case_.a.type) / 8, of_piece = 16 / bytes;
        const auto put = [&](unsigned first, unsigned lane_bytes, std::uint32_t bits) {
            std::memcpy(registers + first, &bits, lane_bytes);
        };
        for (unsigned i = 0; i < a_.size(); ++i) {
            const unsigned row = i / case_.inner, k = i % case_.inner;
            put(128 * (k / of_piece * 2 + row / 8) + 16 * (row % 8) + k % of_piece * bytes, bytes,
                low_aligned(a_[i], case_.a.format));
        }
        for (unsigned i = 0; i < b_.size(); ++i) {
            const unsigned column = i / case_.inner, k = i % case_.inner;
            put(128 * (4 + k / of_piece) + 16 * column + k % of_piece * bytes, bytes,
                low_aligned(b_[i], case_.b.format));
        }
        for (unsigned i = 0; i < c_.size(); ++i) put(place_of_sum(i), result().bits / 8, c_[i]);
        Warp warp{registers, 0xffffffffu};
        Operation operation;
        operation.detail = &detail;
        execute_matrix_product(warp, operation);
        std::vector<std::uint32_t> results(c_.size());
        for (unsigned i = 0; i < c_.size(); ++i)
            std::memcpy(&results[i], registers + place_of_sum(i), result().bits / 8);
        return results;
    }

  private:
    // From just above the smallest products to the last bits that the alignment keeps.
    void align_sums_with_tiny_products(std::mt19937& random) {
        const int smallest =
            case_.a.format.smallest_exponent() + case_.b.format.smallest_exponent();
        for (std::uint32_t& bits : c_) {
            const int exponent = smallest + 4 - static_cast<int>(random() % 32);
            const auto field = static_cast<std::uint32_t>(std::max(exponent + 127, 0));
            bits = (bits & 0x807fffff) | field << 23;
        }
    }
    // Half a unit of the last place of C, a product that is far below it, and zeros.
    void make_ties(std::mt19937& random) {
        const auto small = [&] {
            const auto bits = static_cast<std::uint32_t>(random());
            const std::uint32_t subnormal = 1u << bits % 10,
                                normal = (bits & 0x3ff) | bits % 9 << 10;
            return (bits & 0x8000) | ((bits & 0x10000) != 0 ? subnormal : normal);
        };
        std::ranges::fill(a_, 0);
        std::ranges::fill(b_, 0);
        for (unsigned row = 0; row < max_rows; ++row) {
            a_[row * case_.inner] = 0x3800;  // 1/2
            a_[row * case_.inner + 1] = small();
        }
        for (unsigned column = 0; column < columns; ++column) {
            const auto field = static_cast<std::uint32_t>(random() % 26);
            const std::uint32_t unit =
                field > 10 ? (field - 10) << 10 : 1u << (field < 2 ? 0 : field - 1);
            b_[column * case_.inner] = unit | (random() & 0x8000);
            b_[column * case_.inner + 1] = small();
            for (unsigned row = 0; row < max_rows; ++row)
                c_[row * columns + column] = (random() & 0x83ff) | field << 10;
        }
    }
    static std::vector<Number> numbers(const std::vector<std::uint32_t>& matrix,
                                       const Format& format) {
        std::vector<Number> numbers;
        for (const std::uint32_t bits : matrix) numbers.push_back(decode(bits, format));
        return numbers;
    }
    const Format& result() const { return case_.type == ResultType::f16 ? half : single; }
    SumModel model() const {
        return find_tensor_core(case_.a.type, case_.capability, case_.is_of_warpgroups)->sum;
    }
    // TF32 is the upper 19 bits of a word, whatever the others are.
    static std::uint32_t low_aligned(std::uint32_t bits, const Format& format) {
        return format.bits == 19 ? bits << 13 | (bits * 2654435761u & 0x1fff) : bits;
    }
    unsigned place_of_sum(unsigned i) const {
        const unsigned row = i / columns, column = i % columns;
        const unsigned lane = 4 * (row % 8) + column / 2;
        return case_.type == ResultType::f16 ? 128 * (8 + row / 8) + 4 * lane + 2 * (column % 2)
                                             : 128 * (8 + row / 8 * 2 + column % 2) + 4 * lane;
    }

    const Case& case_;
    std::vector<std::uint32_t> a_, b_, c_;
};

TEST(TensorSums, AMillionHaveTheBitsOfThePublishedModels) {
    using enum ResultType;
    const Case cases[] = {
        {halves, halves, f32, 8, 70},  {halves, halves, f32, 8, 75},
        {halves, halves, f32, 16, 80}, {halves, halves, f32, 16, 90},
        {halves, halves, f16, 8, 75},  {halves, halves, f16, 16, 90},
        {brains, brains, f32, 16, 80}, {brains, brains, f32, 16, 90},
        {tf32s, tf32s, f32, 8, 80},    {tf32s, tf32s, f32, 8, 90},
        {e4m3s, e5m2s, f32, 32, 89},   {e5m2s, e4m3s, f32, 32, 90, true},
        {e4m3s, e4m3s, f32, 32, 100},
    };
    constexpr unsigned products = 100;
    std::mt19937 random(1);
    std::size_t sums = 0, different = 0;
    for (const Case& each : cases) {
        for (const Mode mode : modes) {
            if (mode == Mode::ties && each.type != f16) continue;
            for (unsigned i = 0; i < products; ++i) {
                const Product product(each, mode, random);
                const auto expected = product.expected(), executed = product.executed();
                sums += expected.size();
                for (std::size_t at = 0; at < expected.size(); ++at) {
                    if (expected[at] == executed[at] || ++different > 10) continue;
                    ADD_FAILURE() << std::hex << executed[at] << " for " << expected[at] << std::dec
                                  << ": case " << &each - cases << ", mode "
                                  << static_cast<int>(mode) << ", element " << at;
                }
            }
        }
    }
    EXPECT_GT(sums, 1'000'000u);
    EXPECT_EQ(different, 0u);
}

}  // namespace
