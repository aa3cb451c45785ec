// From PTX instructions to what a GPU issues in their place: which unit they need, how many machine
// instructions they become, which registers they read and write.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/ptx/parse/module.hpp"
#include "timing/machine/trace.hpp"

namespace timing {

// The instructions of one basic block, in the order of the text. `first_register`: of the function, among
// those of the program. Accesses and lines are left for the caller to fill in.
std::vector<Instruction> lower(const emulator::ptx::Function& function,
                               std::span<const std::uint32_t> block, Register first_register);

// Sets Instruction::has_no_operand_reuse of instructions in the order in which they are issued.
void note_kept_operands(std::vector<Instruction>& block);

// Whether the result may differ from thread to thread of a block although the registers that are read do not.
bool varies(const emulator::ptx::Function& function, const emulator::ptx::Instruction& instruction);

// By register of the function: whether it holds nothing but a parameter of the kernel.
std::vector<bool> parameters_of(const emulator::ptx::Function& function);

// The last instruction of a basic block: a branch, a barrier, a shuffle.
Instruction lower_control(const emulator::ptx::Instruction& instruction, Register first_register);

// A branch that skips an instruction that has a guard: it waits for that, and is no instruction of its own.
Instruction lower_guard(const emulator::ptx::Instruction& instruction, Register first_register);

}  // namespace timing
