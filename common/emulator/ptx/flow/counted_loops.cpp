#include "emulator/ptx/flow/counted_loops.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "emulator/ptx/flow/register_facts.hpp"

namespace emulator::ptx {
namespace {

bool is_branch(const Instruction& instruction) { return instruction.opcode == "bra"; }

bool ends_straight_code(const Instruction& instruction) {
    static constexpr std::array<std::string_view, 5> opcodes = {"ret", "exit", "trap", "brx",
                                                                "call"};
    return std::ranges::find(opcodes, instruction.opcode) != opcodes.end();
}

std::optional<MachineAccessKind> kind_of(const Instruction& instruction) {
    if (instruction.modifiers.empty()) return std::nullopt;
    const std::string& space = instruction.modifiers[0];
    if (space.starts_with("param") || space == "const") return std::nullopt;
    const bool is_local =
        std::ranges::find(instruction.modifiers, "local") != instruction.modifiers.end();
    if (instruction.opcode == "ld")
        return is_local ? MachineAccessKind::local_load : MachineAccessKind::load;
    if (instruction.opcode == "st")
        return is_local ? MachineAccessKind::local_store : MachineAccessKind::store;
    if (instruction.opcode == "atom" || instruction.opcode == "red")
        return MachineAccessKind::atomic;
    return std::nullopt;
}

unsigned copies_of(const Instruction& instruction, const std::vector<MachineAccess>& code) {
    const auto kind = kind_of(instruction);
    const auto at_line =
        std::ranges::equal_range(code, instruction.text_line, {}, &MachineAccess::line);
    return static_cast<unsigned>(std::ranges::count(at_line, *kind, &MachineAccess::kind));
}

class Finder {
  public:
    Finder(const Function& function, const std::vector<MachineAccess>& code)
        : function_(function), code_(code) {
        for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
            for (const std::uint32_t reg : written_registers(function.instructions[i])) {
                writes_[reg].push_back(i);
            }
        }
    }

    std::optional<Loop> loop_at(std::uint32_t latch) const {
        const Instruction& branch = function_.instructions[latch];
        if (!is_branch(branch) || branch.guard.reg < 0 || branch.guard.negated) return {};
        Loop loop;
        loop.latch = latch;
        loop.head = target_of(branch);
        if (loop.head >= latch || !is_simple(loop)) return {};
        loop.factor = factor_of(loop);
        if (loop.factor == 0 || !find_counter(loop)) return {};
        return loop;
    }

  private:
    std::uint32_t target_of(const Instruction& branch) const {
        return function_.labels[branch.operands[0].index].instruction;
    }

    // One entry, one exit, and every round's lanes converged at the end.
    bool is_simple(const Loop& loop) const {
        const auto is_inside = [&](std::uint32_t i) { return i > loop.head && i <= loop.latch; };
        for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
            const Instruction& instruction = function_.instructions[i];
            const bool inside = i >= loop.head && i <= loop.latch;
            if (inside && ends_straight_code(instruction)) return false;
            if (i == loop.latch || !is_branch(instruction)) continue;
            const std::uint32_t target = target_of(instruction);
            if (inside ? !is_inside(target) || target <= i : is_inside(target)) return false;
        }
        for (const BranchTable& table : function_.branch_tables) {
            for (const std::uint32_t label : table.labels) {
                if (is_inside(function_.labels[label].instruction)) return false;
            }
        }
        return true;
    }

    // The factor by which the loop is unrolled, by the memory instructions of the machine code; 0: not with a remainder.
    unsigned factor_of(const Loop& loop) const {
        std::map<unsigned, unsigned> found;  // how many have so many copies
        for (std::uint32_t i = loop.head; i < loop.latch; ++i) {
            const Instruction& instruction = function_.instructions[i];
            if (!kind_of(instruction)) continue;
            if (const unsigned copies = copies_of(instruction, code_)) ++found[copies];
        }
        if (found.size() != 1) return 0;
        for (const unsigned factor : {2u, 4u, 8u}) {
            if (found.begin()->first == 2 * factor - 1) return factor;
        }
        return 0;
    }

    // The one place inside the loop that writes a register, if every round comes by.
    std::optional<std::uint32_t> only_write(const Loop& loop, std::uint32_t reg) const {
        std::optional<std::uint32_t> found;
        const auto writes = writes_.find(reg);
        if (writes == writes_.end()) return found;
        for (const std::uint32_t at : writes->second) {
            if (at < loop.head || at > loop.latch) continue;
            if (found || function_.instructions[at].guard.reg >= 0) return {};
            found = at;
        }
        for (std::uint32_t i = loop.head; found && i < *found; ++i) {
            const Instruction& instruction = function_.instructions[i];
            if (is_branch(instruction) && target_of(instruction) > *found) return {};
        }
        return found;
    }

    bool is_written(const Loop& loop, std::uint32_t reg) const {
        const auto writes = writes_.find(reg);
        return writes != writes_.end() && std::ranges::any_of(writes->second, [&](auto at) {
                   return at >= loop.head && at <= loop.latch;
               });
    }

    bool find_counter(Loop& loop) const {
        const auto guard = static_cast<std::uint32_t>(function_.instructions[loop.latch].guard.reg);
        const auto test = only_write(loop, guard);
        if (!test) return false;
        loop.test = *test;
        const Instruction& setp = function_.instructions[*test];
        if (setp.opcode != "setp" || setp.operands.size() != 3 || setp.operands[0].has_second ||
            setp.modifiers.size() != 2) {
            return false;
        }
        return is_counter(loop, setp, 1, 2) || is_counter(loop, setp, 2, 1);
    }

    bool is_counter(Loop& loop, const Instruction& setp, std::size_t counter,
                    std::size_t bound) const {
        const Operand &counted = setp.operands[counter], &end = setp.operands[bound];
        if (counted.kind != OperandKind::reg) return false;
        const bool is_constant = end.kind == OperandKind::immediate ||
                                 (end.kind == OperandKind::reg && !is_written(loop, end.index));
        const auto write = only_write(loop, counted.index);
        if (!is_constant || !write || *write > loop.test) return false;
        const Instruction& add = function_.instructions[*write];
        const std::string& type = setp.modifiers[1];
        const bool is_integer = type == "s32" || type == "u32" || type == "s64" || type == "u64";
        if (!is_integer || add.opcode != "add" || add.modifiers.size() != 1 ||
            add.modifiers[0].size() != 3 || add.modifiers[0].substr(1) != type.substr(1) ||
            add.operands[1].kind != OperandKind::reg || add.operands[1].index != counted.index ||
            add.operands[2].kind != OperandKind::immediate) {
            return false;
        }
        loop.counter = counted.index;
        loop.bound = end;
        loop.step = static_cast<std::int64_t>(add.operands[2].bits);
        std::string_view comparison = setp.modifiers[0];
        if (counter == 2 && comparison != "ne")
            comparison = comparison == "lt" ? "gt" : comparison == "gt" ? "lt" : "";
        return loop.step != 0 &&
               (comparison == "ne" || comparison == (loop.step > 0 ? "lt" : "gt"));
    }

    const Function& function_;
    const std::vector<MachineAccess>& code_;
    std::map<std::uint32_t, std::vector<std::uint32_t>> writes_;  // by register
};

}  // namespace

std::optional<Loop> counted_loop(const Function& function, const std::vector<MachineAccess>& code,
                                 std::uint32_t latch) {
    return Finder(function, code).loop_at(latch);
}

}  // namespace emulator::ptx
