#include "emulator/ptx/flow/register_facts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <utility>

#include "emulator/ptx/parse/types.hpp"

namespace emulator::ptx {
namespace {

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
    return std::ranges::find(words, word) != words.end();
}

std::uint32_t masked(std::uint64_t value, unsigned bits) {
    return static_cast<std::uint32_t>(value & ((std::uint64_t{1} << bits) - 1));
}

LowBits known(std::uint64_t value) { return {LowBits::max_bits, masked(value, LowBits::max_bits)}; }

LowBits with_bits(unsigned bits, std::uint64_t value) {
    bits = std::min(bits, LowBits::max_bits);
    return {bits, masked(value, bits)};
}

unsigned zeros(const LowBits& a) {
    return a.value == 0 ? a.bits : static_cast<unsigned>(std::countr_zero(a.value));
}

// Where paths join, ptxas keeps only the alignment of different values.
LowBits meet(const LowBits& a, const LowBits& b) {
    return a == b ? a : with_bits(std::min(zeros(a), zeros(b)), 0);
}

LowBits sum(const LowBits& a, const LowBits& b) {
    return with_bits(std::min(a.bits, b.bits), std::uint64_t{a.value} + b.value);
}

LowBits product(const LowBits& a, const LowBits& b) {
    const unsigned bits = std::min({a.bits + zeros(b), b.bits + zeros(a), a.bits + b.bits});
    return with_bits(bits, std::uint64_t{a.value} * b.value);
}

// The facts of `a & b`: bits that both tell, and zeros that one of them tells.
LowBits conjunction(const LowBits& a, const LowBits& b) {
    const unsigned both = std::min(a.bits, b.bits);
    const std::uint32_t value = a.value & b.value & masked(~std::uint64_t{0}, both);
    const unsigned trailing = std::max(zeros(a), zeros(b));
    return trailing > both ? with_bits(trailing, 0) : with_bits(both, value);
}

bool writes_nothing(const Instruction& instruction) {
    static constexpr std::array<std::string_view, 17> opcodes = {
        "st",  "red",  "call", "bra",      "brx", "bar",       "barrier", "membar", "fence",
        "ret", "exit", "trap", "prefetch", "cp",  "nanosleep", "sust",    "brkpt"};
    return is_one_of(instruction.opcode, opcodes);
}

}  // namespace

std::vector<std::uint32_t> written_registers(const Instruction& instruction) {
    std::vector<std::uint32_t> result;
    if (instruction.operands.empty() || writes_nothing(instruction)) return result;
    const auto add = [&](const auto& self, const Operand& operand) -> void {
        if (operand.kind == OperandKind::reg) result.push_back(operand.index);
        if (operand.kind == OperandKind::address) return;
        for (const Operand& inner : operand.elements) self(self, inner);
    };
    add(add, instruction.operands[0]);
    return result;
}

namespace {

// Blocks that diverged lanes may execute, once the branch that ends one has diverged.
std::vector<bool> blocks_apart(const ControlFlow& flow, const BasicBlock& parting) {
    std::vector<bool> apart(flow.blocks.size());
    std::vector<std::uint32_t> pending = parting.successors;
    while (!pending.empty()) {
        const std::uint32_t block = pending.back();
        pending.pop_back();
        if (block == parting.post_dominator || apart[block]) continue;
        apart[block] = true;
        const auto& successors = flow.blocks[block].successors;
        pending.insert(pending.end(), successors.begin(), successors.end());
    }
    return apart;
}

}  // namespace

RegisterFacts::RegisterFacts(const Function& function, const ControlFlow& flow,
                             VariableOffset variable_offset)
    : function_(function),
      variable_offset_(std::move(variable_offset)),
      low_bits_(function.registers.size()),
      is_uniform_(function.registers.size(), true) {
    // Both facts can only be lost, bit by bit: this ends.
    bool changed = true;
    while (changed) {
        changed = false;
        for (const Instruction& instruction : function.instructions) changed |= update(instruction);
        changed = changed || lose_where_lanes_part(flow);
    }
}

// A register that is written in several places holds what its lanes' paths have left there.
bool RegisterFacts::lose_where_lanes_part(const ControlFlow& flow) {
    std::vector<unsigned> writes(is_uniform_.size());
    for (const Instruction& instruction : function_.instructions) {
        for (const std::uint32_t reg : written_registers(instruction)) ++writes[reg];
    }
    bool changed = false;
    for (const BasicBlock& block : flow.blocks) {
        const std::int32_t guard = function_.instructions[block.end - 1].guard.reg;
        if (guard < 0 || is_uniform_[static_cast<std::size_t>(guard)]) continue;
        const std::vector<bool> apart = blocks_apart(flow, block);
        for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
            if (!apart[flow.block_of[i]]) continue;
            for (const std::uint32_t reg : written_registers(function_.instructions[i])) {
                if (writes[reg] < 2 || !is_uniform_[reg]) continue;
                is_uniform_[reg] = false;
                changed = true;
            }
        }
    }
    return changed;
}

bool RegisterFacts::update(const Instruction& instruction) {
    const auto written = written_registers(instruction);
    if (written.empty()) return false;
    const LowBits value = written.size() == 1 ? result_of(instruction) : LowBits{};
    const bool uniform = is_result_uniform(instruction);
    bool changed = false;
    for (const std::uint32_t reg : written) {
        const LowBits joined = low_bits_[reg] ? meet(*low_bits_[reg], value) : value;
        changed |= low_bits_[reg] != joined || (is_uniform_[reg] && !uniform);
        low_bits_[reg] = joined;
        is_uniform_[reg] = is_uniform_[reg] && uniform;
    }
    return changed;
}

LowBits RegisterFacts::low_bits(const Operand& operand) const {
    if (operand.kind == OperandKind::immediate) return known(operand.bits);
    if (operand.kind == OperandKind::reg) {
        // Everything holds of a register that is not written before (yet).
        return low_bits_[operand.index].value_or(LowBits{LowBits::max_bits, 0});
    }
    if (operand.kind == OperandKind::symbol) {
        const auto offset = variable_offset_(operand.symbol);
        if (offset) return with_bits(7, *offset + static_cast<std::uint64_t>(operand.offset));
    }
    return {};
}

LowBits RegisterFacts::result_of(const Instruction& instruction) const {
    const std::string& opcode = instruction.opcode;
    const bool is_float =
        std::ranges::any_of(instruction.modifiers, [](const std::string& modifier) {
            return (modifier[0] == 'f' || modifier.starts_with("bf")) &&
                   type_named(modifier) != Type::none;
        });
    if (is_float || instruction.operands.size() < 2) return {};
    const auto at = [&](std::size_t i) { return low_bits(instruction.operands[i]); };
    const std::size_t count = instruction.operands.size();
    if (opcode == "mov" || opcode == "cvta" || opcode == "cvt") return at(1);
    if (opcode == "add" && count == 3) return sum(at(1), at(2));
    if (opcode == "sub" && count == 3) {
        const LowBits b = at(2);
        return sum(at(1), with_bits(b.bits, std::uint64_t{0} - b.value));
    }
    if (opcode == "mul" && !has(instruction, "hi")) return product(at(1), at(2));
    if (opcode == "mad" && !has(instruction, "hi")) return sum(product(at(1), at(2)), at(3));
    if (opcode == "shl" && instruction.operands[2].kind == OperandKind::immediate) {
        const auto shift =
            static_cast<unsigned>(std::min<std::uint64_t>(instruction.operands[2].bits, 31));
        return with_bits(at(1).bits + shift, std::uint64_t{at(1).value} << shift);
    }
    if (opcode == "and") return conjunction(at(1), at(2));
    if (opcode == "or" || opcode == "xor") {
        const LowBits a = at(1), b = at(2);
        const std::uint32_t value = opcode == "or" ? a.value | b.value : a.value ^ b.value;
        return with_bits(std::min(a.bits, b.bits), value);
    }
    if (opcode == "selp" || opcode == "min" || opcode == "max") return meet(at(1), at(2));
    return {};
}

bool RegisterFacts::is_uniform(const Operand& operand) const {
    switch (operand.kind) {
        case OperandKind::reg:
            return is_uniform_[operand.index];
        case OperandKind::special: {
            static constexpr std::array<std::string_view, 12> by_block = {
                "%ctaid.x",  "%ctaid.y",  "%ctaid.z",  "%ntid.x", "%ntid.y", "%ntid.z",
                "%nctaid.x", "%nctaid.y", "%nctaid.z", "%smid",   "%warpid", "%gridid"};
            return is_one_of(operand.symbol, by_block);
        }
        case OperandKind::immediate:
        case OperandKind::symbol:
        case OperandKind::label:
        case OperandKind::sink:
            return true;
        default:
            return std::ranges::all_of(operand.elements,
                                       [&](const Operand& e) { return is_uniform(e); });
    }
}

bool RegisterFacts::is_result_uniform(const Instruction& instruction) const {
    const std::string& opcode = instruction.opcode;
    if (opcode == "vote" || opcode == "redux") return true;
    static constexpr std::array<std::string_view, 7> of_lanes = {
        "atom", "shfl", "match", "call", "tex", "activemask", "elect"};
    if (is_one_of(opcode, of_lanes)) return false;
    if (opcode == "ld" && (has(instruction, "local") || has(instruction, "volatile"))) return false;
    if (instruction.guard.reg >= 0 &&
        !is_uniform_[static_cast<std::size_t>(instruction.guard.reg)]) {
        return false;
    }
    return std::all_of(instruction.operands.begin() + 1, instruction.operands.end(),
                       [&](const Operand& operand) { return is_uniform(operand); });
}

}  // namespace emulator::ptx
