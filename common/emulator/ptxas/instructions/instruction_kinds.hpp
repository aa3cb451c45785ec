// The kinds of instructions of PTX.
#pragma once

#include <initializer_list>
#include <string_view>

#include "emulator/ptx/parse/module.hpp"

namespace timing {

bool has(const emulator::ptx::Instruction& instruction, std::string_view modifier);
bool has_any(const emulator::ptx::Instruction& instruction,
             std::initializer_list<std::string_view> modifiers);
bool is_any(std::string_view opcode, std::initializer_list<std::string_view> opcodes);
bool is_64_bit_integer(const emulator::ptx::Instruction& instruction);
bool is_float(const emulator::ptx::Instruction& instruction);
bool accesses_memory(const emulator::ptx::Instruction& instruction);
bool writes_its_first_operand(const emulator::ptx::Instruction& instruction);

}  // namespace timing
