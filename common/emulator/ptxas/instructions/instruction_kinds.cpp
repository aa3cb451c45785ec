#include "emulator/ptxas/instructions/instruction_kinds.hpp"

#include <algorithm>

namespace timing {

namespace ptx = emulator::ptx;

bool has(const ptx::Instruction& instruction, std::string_view modifier) {
    return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
}

bool has_any(const ptx::Instruction& instruction,
             std::initializer_list<std::string_view> modifiers) {
    return std::ranges::any_of(modifiers,
                               [&](auto modifier) { return has(instruction, modifier); });
}

bool is_any(std::string_view opcode, std::initializer_list<std::string_view> opcodes) {
    return std::ranges::find(opcodes, opcode) != opcodes.end();
}

bool is_64_bit_integer(const ptx::Instruction& instruction) {
    return has_any(instruction, {"s64", "u64", "b64"});
}

bool is_float(const ptx::Instruction& instruction) {
    return has_any(instruction, {"f32", "f64", "f16", "f16x2", "bf16", "bf16x2"});
}

bool accesses_memory(const ptx::Instruction& instruction) {
    return is_any(instruction.opcode, {"ld", "ldu", "st", "atom", "red", "tex", "tld4", "suld",
                                       "sust", "cp", "ldmatrix", "stmatrix"}) ||
           (instruction.opcode == "wmma" && !has(instruction, "mma"));
}

bool writes_its_first_operand(const ptx::Instruction& instruction) {
    return !is_any(instruction.opcode,
                   {"st", "red", "bra", "brx", "bar", "barrier", "membar", "fence", "cp", "ret",
                    "exit", "trap", "prefetch", "sust", "stmatrix"}) &&
           !(instruction.opcode == "wmma" && has(instruction, "store"));
}

}  // namespace timing
