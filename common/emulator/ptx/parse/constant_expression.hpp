// Constants and constant expressions of PTX.
// Source: NVIDIA, PTX ISA, section 4.5.
#pragma once

#include <cstdint>

#include "emulator/ptx/parse/module.hpp"
#include "emulator/ptx/parse/scanner.hpp"

namespace emulator::ptx {

// `bits` and `literal` as in Operand: s64 or u64 of integers; f32 (0f...), f64 (0d...) or b64 (1.5, the
// bits of a double) of floating point.
struct Constant {
    std::uint64_t bits = 0;
    Type literal = Type::s64;

    bool is_float() const { return literal != Type::s64 && literal != Type::u64; }
    double as_double() const;
};

// Whether a constant expression may start with this character.
bool starts_constant(char character);

Constant parse_constant(Scanner& scanner);

// Without binary + and -: what follows the sign in [base + offset].
Constant parse_constant_term(Scanner& scanner);

// The bits of the constant as a value of `type`; too many bits of an integer are cut off.
std::uint64_t bits_as(const Constant& constant, Type type);

}  // namespace emulator::ptx
