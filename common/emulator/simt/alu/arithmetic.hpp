// Arithmetic, logic, comparison, conversion: everything that maps lanes to lanes without memory or
// communication. Results are those of the hardware: to the bit for integers, IEEE arithmetic,
// conversions and moves; as close as NVIDIA documents for the approximations (.approx, ex2, sin, ...).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "emulator/simt/alu/arithmetic_form.hpp"

namespace emulator::simt {

// The handler for `opcode` with `modifiers` (as in PTX, in order). `shapes`: the destinations first
// (`destinations` of them), then the sources, as they are written. Rules for the decoder:
// - At most one source is an immediate: the last one that is written as such (so the table of lop3 and
//   the selector of prmt stay). Others are moved to registers first. Its bits come in
//   Operation::immediate: integers sign-extended, floating point as the bits of the instruction's type.
// - One destination and a|b (setp): destination and second_destination, no_register for one that is
//   absent or `_`.
// - A vector (mov.b64 {lo, hi}, x; mov.b32 x, {a, b}; cvt with vectors) is flattened: its elements are
//   destinations or sources of their own. Destinations go to destination, second_destination, source[2],
//   source[3]; sources to source[0], source[1], ... An element that is `_` is no_register, with the
//   register_bytes of its neighbours.
// - Registers overlap wholly or not at all.
Arithmetic find_arithmetic(const std::string& opcode, std::span<const std::string> modifiers,
                           std::span<const OperandShape> shapes, std::size_t destinations = 1);

}  // namespace emulator::simt
