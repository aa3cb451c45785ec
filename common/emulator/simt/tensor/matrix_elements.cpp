#include "emulator/simt/tensor/matrix_elements.hpp"

#include <algorithm>

#include "emulator/simt/alu/values/half_values.hpp"
#include "emulator/simt/alu/values/minifloat.hpp"

namespace emulator::simt {
namespace {

template <class Bits, class ToFloat>
void convert(const std::byte* row, unsigned count, int smallest, const ToFloat& to_float,
             double* values, std::int32_t* exponents) {
    alignas(64) Bits bits[max_inner];
    std::memcpy(bits, row, count * sizeof(Bits));
    for (unsigned i = 0; i < count; ++i) {
        const float value = to_float(bits[i]);
        const auto field = static_cast<std::int32_t>(bits_of(value) >> 23 & 0xff);
        values[i] = value;
        // Not finite: beyond all others.
        const std::int32_t exponent = std::max(field == 255 ? 1024 : field - 127, smallest);
        exponents[i] = (bits_of(value) & 0x7fffffffu) == 0 ? zero_exponent : exponent;
    }
}

std::uint32_t field(const std::byte* row, unsigned index, unsigned bits) {
    const unsigned at = index * bits;
    return static_cast<std::uint32_t>(row[at / 8]) >> at % 8 & ((1u << bits) - 1);
}

}  // namespace

void to_factors(MatrixType type, const std::byte* row, unsigned count, double* values,
                std::int32_t* exponents) {
    constexpr Minifloat e4m3{4, 3, true}, e5m2{5, 2};
    switch (type) {
        case MatrixType::f16:
            return convert<std::uint16_t>(row, count, -14, Half::to_float, values, exponents);
        case MatrixType::bf16:
            return convert<std::uint16_t>(row, count, -126, BrainHalf::to_float, values, exponents);
        case MatrixType::tf32:  // the low 13 bits are not read
            return convert<std::uint32_t>(
                row, count, -126, [](std::uint32_t bits) { return float_of(bits & 0xffffe000u); },
                values, exponents);
        case MatrixType::e4m3:
            return convert<std::uint8_t>(
                row, count, -6,
                [=](std::uint8_t bits) { return static_cast<float>(e4m3.decode(bits)); }, values,
                exponents);
        default:
            return convert<std::uint8_t>(
                row, count, -14,
                [=](std::uint8_t bits) { return static_cast<float>(e5m2.decode(bits)); }, values,
                exponents);
    }
}

void set_halves(const double* halves, unsigned count, double* values, std::int32_t* exponents) {
    std::uint16_t bits[columns];
    for (unsigned i = 0; i < count; ++i) bits[i] = Half::from_float(static_cast<float>(halves[i]));
    convert<std::uint16_t>(reinterpret_cast<const std::byte*>(bits), count, -14, Half::to_float,
                           values, exponents);
}

void to_integers(MatrixType type, const std::byte* row, unsigned count, std::int32_t* values) {
    const unsigned bits = std::min(bits_of(type), 8u);  // no integer has more
    const bool is_signed = type == MatrixType::s8 || type == MatrixType::s4;
    const std::uint32_t sign = is_signed ? 1u << (bits - 1) : 0;
    for (unsigned i = 0; i < count; ++i)
        values[i] = static_cast<std::int32_t>((field(row, i, bits) ^ sign) - sign);
}

}  // namespace emulator::simt
