// Loads that ptxas may move, and what prevents it.
#pragma once

#include "emulator/ptx/parse/module.hpp"

namespace emulator::ptx {

// A load into one register that may stand elsewhere.
bool is_plain_load(const Instruction& instruction, const char* space = "global");

// Whether two plain loads are of one address.
bool loads_the_same(const Instruction& one, const Instruction& other);

bool writes(const Instruction& instruction, std::uint32_t reg);
bool reads(const Operand& operand, std::uint32_t reg);
// The registers of the operands that are no result, and of the guard.
bool reads(const Instruction& instruction, std::uint32_t reg);
bool may_write_memory(const Instruction& instruction);

}  // namespace emulator::ptx
