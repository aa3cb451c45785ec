// Operands for which the machine code of a quotient calls a subroutine: one warp with such a lane executes it.
#pragma once

#include <cstdint>
#include <optional>

#include "emulator/ptx/parse/module.hpp"
#include "emulator/simt/state/operation.hpp"

namespace emulator::simt {

struct RareOperandsDetail {
    std::uint32_t number = 0;  // as Image::rare_operands
    bool (*is_rare)(std::uint64_t dividend, std::uint64_t divisor) = nullptr;
    std::uint32_t bytes = 4;  // of an operand
};

// The subroutine of div and rem on 64-bit integers, and on floating point numbers that are rounded to nearest; else nothing.
std::optional<RareOperandsDetail> rare_operands_of(const ptx::Instruction& instruction);

// Counts the warps that have some; `sources` of the operation are dividend and divisor.
void count_rare_operands(Warp& warp, const Operation& operation);

}  // namespace emulator::simt
