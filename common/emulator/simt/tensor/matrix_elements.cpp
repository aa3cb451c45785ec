#include "emulator/simt/tensor/matrix_elements.hpp"

#include "emulator/simt/alu/values/half_values.hpp"

namespace emulator::simt {
namespace {

// Rows of `count` elements, which begin so many bytes and numbers after each other.
struct Place {
    const std::byte* from;
    float* values;
    std::int32_t* exponents;
    unsigned rows, count;
    std::size_t row_bytes = 0, row_numbers = 0;
};

template <class Bits, auto to_float>
void convert(Place at, int smallest) {
    for (unsigned row = 0; row < at.rows; ++row) {
        const std::byte* const from = at.from + row * at.row_bytes;
        float* const values = at.values + row * at.row_numbers;
        std::int32_t* const exponents = at.exponents + row * at.row_numbers;
#pragma GCC ivdep
        for (unsigned i = 0; i < at.count; ++i) {
            Bits bits;
            std::memcpy(&bits, from + i * sizeof(Bits), sizeof bits);
            const float value = to_float(bits);
            const std::uint32_t magnitude = bits_of(value) & 0x7fffffffu;
            const auto exponent = static_cast<std::int32_t>(magnitude >> 23) - 127;
            const std::int32_t of_format = exponent > smallest ? exponent : smallest;
            const std::int32_t of_number = exponent == 128 ? special_exponent : of_format;
            values[i] = value;
            exponents[i] = magnitude == 0 ? zero_exponent : of_number;
        }
    }
}

// The low 13 bits are not read.
float from_tf32(std::uint32_t bits) { return float_of(bits & 0xffffe000u); }

// Both have the fraction bits of a half or fewer, e5m2 also its exponents.
float from_e5m2(std::uint8_t bits) { return Half::to_float(static_cast<std::uint16_t>(bits << 8)); }
float from_e4m3(std::uint8_t bits) {
    const std::uint32_t half = (bits & 0x80u) << 8 | (bits & 0x7fu) << 7;
    const float value = Half::to_float(static_cast<std::uint16_t>(half)) * 0x1p8f;
    return float_of(choose_bits((bits & 0x7fu) == 0x7f, canonical_nan_bits, bits_of(value)));
}

void convert(MatrixType type, const Place& at) {
    switch (type) {
        case MatrixType::f16:
            return convert<std::uint16_t, Half::to_float>(at, -14);
        case MatrixType::bf16:
            return convert<std::uint16_t, BrainHalf::to_float>(at, -126);
        case MatrixType::tf32:
            return convert<std::uint32_t, from_tf32>(at, -126);
        case MatrixType::e4m3:
            return convert<std::uint8_t, from_e4m3>(at, -6);
        default:
            return convert<std::uint8_t, from_e5m2>(at, -14);
    }
}

template <unsigned bits, bool is_signed>
void convert_integers(const std::byte* elements, unsigned bytes, std::int32_t* values) {
    constexpr std::uint32_t sign = is_signed ? 1u << (bits - 1) : 0;
    for (unsigned at = 0; at < 8; at += bits) {
        for (unsigned i = 0; i < bytes; ++i) {
            const std::uint32_t field =
                static_cast<std::uint32_t>(elements[i]) >> at & ((1u << bits) - 1);
            *values++ = static_cast<std::int32_t>((field ^ sign) - sign);
        }
    }
}

template <class Element>
void transpose(const RowBytes<columns>& from, unsigned inner, std::byte* to) {
    for (unsigned k = 0; k < inner; ++k) {
        for (unsigned column = 0; column < columns; ++column)
            std::memcpy(to + (k * columns + column) * sizeof(Element),
                        from.rows[column] + k * sizeof(Element), sizeof(Element));
    }
}

}  // namespace

void to_rows(const RowBytes<columns>& from, unsigned element_bytes, unsigned inner, std::byte* to) {
    switch (element_bytes) {
        case 1:
            return transpose<std::uint8_t>(from, inner, to);
        case 2:
            return transpose<std::uint16_t>(from, inner, to);
        case 4:
            return transpose<std::uint32_t>(from, inner, to);
        default:
            return transpose<std::uint64_t>(from, inner, to);
    }
}

void to_factors(MatrixType type, const RowBytes<max_rows>& from, unsigned rows, unsigned inner,
                RowFactors& to) {
    convert(type,
            {from.rows[0], to.value[0], to.exponent[0], rows, inner, max_row_bytes, max_inner});
}
void to_factors(MatrixType type, const std::byte* from, unsigned count, ColumnFactors& to) {
    convert(type, {from, to.value[0], to.exponent[0], 1, count});
}

void to_integers(MatrixType type, const std::byte* elements, unsigned bytes, std::int32_t* values) {
    switch (type) {
        case MatrixType::s8:
            return convert_integers<8, true>(elements, bytes, values);
        case MatrixType::u8:
            return convert_integers<8, false>(elements, bytes, values);
        case MatrixType::s4:
            return convert_integers<4, true>(elements, bytes, values);
        default:
            return convert_integers<4, false>(elements, bytes, values);
    }
}

}  // namespace emulator::simt
