// Arithmetic, logic, comparison, conversion: everything that maps lanes to lanes without memory or
// communication. Results are those of the hardware: to the bit for integers, IEEE arithmetic,
// conversions and moves; as close as NVIDIA documents for the approximations (.approx, ex2, sin, ...).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "emulator/simt/operation.hpp"

namespace emulator::simt {

struct OperandShape {
    std::uint8_t register_bytes = 0;  // 2, 4 or 8; 0: a predicate
    bool is_immediate = false;
    bool is_negated_predicate = false;  // !%p as a source
};

struct Arithmetic {
    Handler execute = nullptr;  // null: `opcode` is no arithmetic, or has a form that is not known
    // Whether the operation reads (writes) the carry flag of the lanes, which the decoder then appends
    // as the last source (as second destination): a predicate.
    bool reads_carry = false, writes_carry = false;
};

// The handler for `opcode` with `modifiers` (as in PTX, in order). `shapes`: the destination first, then
// the sources; at most one source is an immediate (decoding moves others to registers first), whose
// bits come in Operation::immediate: integers sign-extended, floating point as the bits of the type.
Arithmetic find_arithmetic(const std::string& opcode, std::span<const std::string> modifiers,
                           std::span<const OperandShape> shapes);

}  // namespace emulator::simt
