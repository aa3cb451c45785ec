// Reads and writes of registers, and the search for a read from an instruction on.
#include "emulator/ptx/flow/result_uses.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace emulator::ptx {
namespace {

// Those whose first operand may be a register that they read. All others write it.
bool reads_first_operand(const Instruction& instruction) {
    constexpr std::array<std::string_view, 9> opcodes = {
        "bar", "barrier", "brx", "call", "nanosleep", "stackrestore", "tcgen05", "wgmma", "ret"};
    const auto& modifiers = instruction.modifiers;
    const bool is_barrier_reduction =
        instruction.opcode.starts_with("bar") &&
        std::find(modifiers.begin(), modifiers.end(), "red") != modifiers.end();
    return !is_barrier_reduction &&
           std::find(opcodes.begin(), opcodes.end(), instruction.opcode) != opcodes.end();
}

template <class Visit>
void visit_registers(const Operand& operand, const Visit& visit) {
    if (operand.kind == OperandKind::reg) visit(operand.index);
    for (const Operand& element : operand.elements) visit_registers(element, visit);
}

}  // namespace

ResultUses::ResultUses(const Function& function, const ControlFlow& flow)
    : function_(function), flow_(flow), uses_(function.registers.size()) {
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
        const Instruction& instruction = function.instructions[i];
        const auto read = [&](std::uint32_t reg) { uses_[reg].push_back({i, true}); };
        const auto write = [&](std::uint32_t reg) { uses_[reg].push_back({i, false}); };
        if (instruction.guard.reg >= 0) read(static_cast<std::uint32_t>(instruction.guard.reg));
        const bool has_result = !instruction.operands.empty() &&
                                instruction.operands[0].kind != OperandKind::address &&
                                !reads_first_operand(instruction);
        for (std::size_t k = has_result; k < instruction.operands.size(); ++k) {
            visit_registers(instruction.operands[k], read);
        }
        // With a guard some lanes keep what was there.
        const bool is_lost = has_result && instruction.guard.reg < 0;
        if (is_lost) visit_registers(instruction.operands[0], write);
    }
}

bool ResultUses::is_result_read(std::uint32_t instruction) const {
    const std::vector<Operand>& operands = function_.instructions[instruction].operands;
    bool is_read = false;
    if (operands.empty()) return false;
    visit_registers(operands[0], [&](std::uint32_t reg) {
        is_read = is_read || is_read_after(reg, instruction);
    });
    return is_read;
}

bool ResultUses::is_read_after(std::uint32_t reg, std::uint32_t instruction) const {
    const std::vector<Use>& uses = uses_[reg];
    const bool has_reads =
        std::any_of(uses.begin(), uses.end(), [](auto& use) { return use.is_read; });
    if (!has_reads) return false;
    // Stretches of instructions yet to be searched: their starts, each to the end of its block.
    struct Stretch {
        std::uint32_t start, block;
    };
    std::vector<Stretch> pending{{instruction + 1, flow_.block_of[instruction]}};
    std::vector<bool> is_seen(flow_.blocks.size());
    while (!pending.empty()) {
        const Stretch stretch = pending.back();
        pending.pop_back();
        const BasicBlock& block = flow_.blocks[stretch.block];
        const auto use =
            std::lower_bound(uses.begin(), uses.end(), stretch.start,
                             [](const Use& a, std::uint32_t b) { return a.instruction < b; });
        if (use != uses.end() && use->instruction < block.end) {
            if (use->is_read) return true;
            continue;
        }
        for (std::uint32_t next : block.successors) {
            if (is_seen[next]) continue;
            is_seen[next] = true;
            pending.push_back({flow_.blocks[next].first, next});
        }
    }
    return false;
}

}  // namespace emulator::ptx
