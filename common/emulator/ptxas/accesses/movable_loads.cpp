#include "emulator/ptxas/accesses/movable_loads.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "emulator/ptx/flow/register_facts.hpp"

namespace emulator::ptx {

bool is_plain_load(const Instruction& instruction, const char* space) {
    if (instruction.opcode != "ld" || instruction.guard.reg >= 0) return false;
    static constexpr std::array<std::string_view, 5> kept = {"volatile", "relaxed", "acquire",
                                                             "mmio", "cv"};
    const auto& modifiers = instruction.modifiers;
    const bool is_ordered = std::ranges::any_of(
        modifiers, [](const std::string& each) { return std::ranges::count(kept, each) != 0; });
    const Operand& at = instruction.operands[1];
    return !is_ordered && std::ranges::count(modifiers, space) != 0 &&
           instruction.operands[0].kind == OperandKind::reg && at.elements.size() == 1 &&
           at.elements[0].kind == OperandKind::reg;
}

bool loads_the_same(const Instruction& one, const Instruction& other) {
    return one.modifiers == other.modifiers && one.operands[1].offset == other.operands[1].offset &&
           one.operands[1].elements[0].index == other.operands[1].elements[0].index;
}

bool writes(const Instruction& instruction, std::uint32_t reg) {
    return std::ranges::count(written_registers(instruction), reg) != 0;
}

bool may_write_memory(const Instruction& instruction) {
    static constexpr std::array<std::string_view, 11> opcodes = {
        "st", "atom", "red", "bar", "barrier", "membar", "fence", "call", "cp", "mbarrier", "sust"};
    return std::ranges::count(opcodes, instruction.opcode) != 0;
}

bool reads(const Operand& operand, std::uint32_t reg) {
    return (operand.kind == OperandKind::reg && operand.index == reg) ||
           std::ranges::any_of(operand.elements,
                               [&](const Operand& inner) { return reads(inner, reg); });
}

bool reads(const Instruction& instruction, std::uint32_t reg) {
    if (instruction.guard.reg == static_cast<std::int32_t>(reg)) return true;
    const std::size_t first = written_registers(instruction).empty() ? 0 : 1;
    return std::any_of(
        instruction.operands.begin() +
            static_cast<std::ptrdiff_t>(std::min(first, instruction.operands.size())),
        instruction.operands.end(), [&](const Operand& each) { return reads(each, reg); });
}

}  // namespace emulator::ptx
