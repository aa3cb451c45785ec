#include "emulator/ptxas/accesses/loop_growth.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "emulator/ptx/flow/register_facts.hpp"
#include "emulator/ptxas/accesses/movable_loads.hpp"

namespace emulator::ptx {
namespace {

bool is_integer(const Instruction& instruction) {
    return std::ranges::none_of(instruction.modifiers, [](const std::string& modifier) {
        return modifier[0] == 'f' || modifier.starts_with("bf");
    });
}

std::optional<std::int64_t> constant(const Operand& operand) {
    if (operand.kind != OperandKind::immediate) return {};
    return static_cast<std::int64_t>(operand.bits);
}

bool holds(const std::string& comparison, std::int64_t a, std::int64_t b) {
    if (comparison == "eq") return a == b;
    if (comparison == "ne") return a != b;
    if (comparison == "lt") return a < b;
    if (comparison == "le") return a <= b;
    if (comparison == "gt") return a > b;
    return a >= b;
}

}  // namespace

LoopGrowth::LoopGrowth(const Function& function, std::uint32_t head, std::uint32_t latch)
    : function_(function),
      head_(head),
      latch_(latch),
      writes_(function.registers.size()),
      write_place_(function.registers.size()),
      growth_(function.registers.size()),
      is_of_one_round_(function.registers.size()) {
    for (std::uint32_t i = head; i < latch; ++i) {
        for (const std::uint32_t reg : written_registers(function.instructions[i])) {
            ++writes_[reg];
            write_place_[reg] = i;
        }
    }
    for (std::size_t reg = 0; reg < writes_.size(); ++reg) {
        if (writes_[reg] == 0) growth_[reg] = 0;
    }
    find_carried();
    for (std::uint32_t i = head; i < latch; ++i) {
        const auto written = written_registers(function.instructions[i]);
        if (written.size() != 1 || writes_[written[0]] != 1 || growth_[written[0]]) continue;
        growth_[written[0]] = result_of(function.instructions[i]);
    }
}

std::optional<std::int64_t> LoopGrowth::of(std::uint32_t reg) const { return growth_[reg]; }

// Registers that are read before the loop writes them hold what the round before has left.
void LoopGrowth::find_carried() {
    std::vector<bool> is_carried(writes_.size());
    for (std::uint32_t reg = 0; reg < writes_.size(); ++reg) {
        if (writes_[reg] != 1) continue;
        for (std::uint32_t i = head_; i <= write_place_[reg]; ++i)
            is_carried[reg] = is_carried[reg] || reads(function_.instructions[i], reg);
    }
    for (std::uint32_t reg = 0; reg < writes_.size(); ++reg) {
        is_of_one_round_[reg] = writes_[reg] == 1 && !is_carried[reg] &&
                                function_.instructions[write_place_[reg]].guard.reg < 0;
        if (!is_carried[reg]) continue;
        growth_[reg] = step_of(reg);
        if (!growth_[reg]) writes_[reg] = 2;  // not to be derived from what is read
    }
}

// add r, r, constant; or add s, r, constant and later mov r, s.
LoopGrowth::Growth LoopGrowth::step_of(std::uint32_t reg) const {
    const Instruction* write = &function_.instructions[write_place_[reg]];
    if (write->opcode == "mov" && write->operands[1].kind == OperandKind::reg &&
        write->guard.reg < 0) {
        const std::uint32_t source = write->operands[1].index;
        if (writes_[source] != 1 || write_place_[source] > write_place_[reg]) return {};
        write = &function_.instructions[write_place_[source]];
    }
    const bool is_sum = write->opcode == "add" && write->guard.reg < 0 && is_integer(*write) &&
                        write->operands[1].kind == OperandKind::reg &&
                        write->operands[1].index == reg;
    return is_sum ? constant(write->operands[2]) : Growth{};
}

LoopGrowth::Growth LoopGrowth::of(const Operand& operand) const {
    switch (operand.kind) {
        case OperandKind::reg:
            return operand.has_second || !operand.symbol.empty() ? Growth{}
                                                                 : growth_[operand.index];
        case OperandKind::immediate:
        case OperandKind::special:
        case OperandKind::symbol:
            return 0;
        default:
            return {};
    }
}

LoopGrowth::Growth LoopGrowth::result_of(const Instruction& instruction) const {
    const auto& operands = instruction.operands;
    const std::string& opcode = instruction.opcode;
    if (instruction.guard.reg >= 0 || operands.size() < 2 || !is_integer(instruction)) return {};
    const Growth a = of(operands[1]), b = operands.size() > 2 ? of(operands[2]) : Growth(0);
    const bool is_signed =
        std::ranges::find(instruction.modifiers, "u32") == instruction.modifiers.end();
    if (!a || !b) return {};
    if (opcode == "mov" || opcode == "cvta") return a;
    if (opcode == "cvt") return is_signed || *a == 0 ? a : Growth{};
    if (opcode == "add") return *a + *b;
    if (opcode == "sub") return *a - *b;
    if (opcode == "shl") {
        const auto by = constant(operands[2]);
        if (by && *by < 32) return *a * (std::int64_t{1} << *by);
    }
    if (opcode == "mul" || opcode == "mad") {
        const Growth sum = opcode == "mad" ? of(operands[3]) : Growth(0);
        const auto factor = constant(operands[2]);
        const bool is_wide =
            std::ranges::find(instruction.modifiers, "wide") != instruction.modifiers.end();
        if (!sum || std::ranges::find(instruction.modifiers, "hi") != instruction.modifiers.end())
            return {};
        if (*a == 0 && *b == 0) return sum;
        if (factor && (is_signed || !is_wide)) return *a * *factor + *sum;
        return {};
    }
    static constexpr std::array<std::string_view, 5> pure = {"and", "or", "xor", "shr", "selp"};
    const bool is_pure = std::ranges::find(pure, opcode) != pure.end() || opcode == "shl";
    const bool is_still =
        *a == 0 && *b == 0 && (operands.size() < 4 || of(operands[3]) == Growth(0));
    return is_pure && is_still ? Growth(0) : Growth{};
}

std::optional<std::int64_t> LoopGrowth::first_value(std::uint32_t reg) const {
    const auto is_label = [&](std::uint32_t at) {
        return std::ranges::any_of(function_.labels,
                                   [&](const Label& label) { return label.instruction == at; });
    };
    for (std::uint32_t i = head_; i-- > 0;) {
        const Instruction& instruction = function_.instructions[i];
        if (instruction.opcode == "bra" && instruction.guard.reg < 0) return {};
        const auto written = written_registers(instruction);
        if (std::ranges::find(written, reg) != written.end())
            return instruction.opcode == "mov" && instruction.guard.reg < 0
                       ? constant(instruction.operands[1])
                       : std::nullopt;
        if (is_label(i)) return {};
    }
    return {};
}

// In the first round, as an instruction at `place` reads it.
std::optional<std::int64_t> LoopGrowth::first_value_at(std::uint32_t place,
                                                       std::uint32_t reg) const {
    if (writes_[reg] != 1) return {};
    const Instruction& write = function_.instructions[write_place_[reg]];
    if (write_place_[reg] > place) return first_value(reg);
    // Behind its write: add.s32 reg, carried, constant.
    if (write.opcode != "add" || write.operands[1].kind != OperandKind::reg) return {};
    const auto before = first_value(write.operands[1].index), step = constant(write.operands[2]);
    return before && step ? std::optional(*before + *step) : std::nullopt;
}

std::optional<unsigned> LoopGrowth::rounds(unsigned most) const {
    const Guard& guard = function_.instructions[latch_].guard;
    const auto predicate = static_cast<std::uint32_t>(guard.reg);
    if (guard.reg < 0 || writes_[predicate] != 1) return {};
    const std::uint32_t test = write_place_[predicate];
    const Instruction& setp = function_.instructions[test];
    if (setp.opcode != "setp" || setp.guard.reg >= 0 || setp.operands.size() != 3 ||
        setp.modifiers.size() != 2 || setp.operands[0].has_second ||
        setp.operands[1].kind != OperandKind::reg || !is_integer(setp))
        return {};
    const auto bound = constant(setp.operands[2]);
    const auto step = growth_[setp.operands[1].index];
    auto value = first_value_at(test, setp.operands[1].index);
    if (!bound || !step || !value) return {};
    for (unsigned round = 1; round <= most; ++round, *value += *step) {
        if (setp.modifiers[1][0] == 'u' && *value < 0) return {};
        if (holds(setp.modifiers[0], *value, *bound) == guard.negated) return round;
    }
    return {};
}

}  // namespace emulator::ptx
