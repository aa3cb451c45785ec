#include "emulator/ptxas/accesses/full_unrolling.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "emulator/ptx/flow/register_facts.hpp"
#include "emulator/ptxas/accesses/loop_growth.hpp"
#include "emulator/ptxas/accesses/machine_accesses.hpp"

namespace emulator::ptx {
namespace {

constexpr unsigned max_rounds = 64;
constexpr std::size_t max_instructions = 8192;

bool is_access(const Instruction& instruction) {
    if (instruction.opcode != "ld" && instruction.opcode != "st") return false;
    const Space space = space_of(instruction);
    return space == Space::shared || space == Space::global;
}

Operand& address_of(Instruction& access) { return access.operands[access.opcode == "ld" ? 1 : 0]; }

// The register that an access adds a constant to; null where it has none.
Operand* base_of(Instruction& instruction) {
    if (!is_access(instruction) || instruction.guard.reg >= 0) return nullptr;
    Operand& address = address_of(instruction);
    const bool is_plain = address.kind == OperandKind::address && address.elements.size() == 1 &&
                          address.elements[0].kind == OperandKind::reg;
    return is_plain ? &address.elements[0] : nullptr;
}

// The loop's first round in registers of its own, which keep the addresses for the others.
class FirstRound {
  public:
    FirstRound(Function& function, const LoopGrowth& growth)
        : function_(function), growth_(growth) {}

    void add(Instruction instruction, std::uint32_t at) {
        Operand* const base = base_of(instruction);
        const std::uint32_t reg = base != nullptr ? base->index : 0;
        const bool has_result = !written_registers(instruction).empty();
        for (std::size_t i = has_result ? 1 : 0; i < instruction.operands.size(); ++i)
            read_own(instruction.operands[i], at, instruction);
        if (has_result) write_own(instruction.operands[0]);
        if (instruction.guard.reg >= 0) {
            const auto own = own_.find(static_cast<std::uint32_t>(instruction.guard.reg));
            if (own != own_.end()) instruction.guard.reg = static_cast<std::int32_t>(own->second);
        }
        if (base != nullptr && growth_.of(reg)) {
            const auto [kept, is_new] = bases_.try_emplace(key(reg, at), base->index);
            if (is_new && base->index == reg) kept->second = move(reg, *base, instruction);
            base->index = kept->second;
        }
        out_.push_back(std::move(instruction));
    }

    // The holder of a register's value of the first round at a place.
    std::uint32_t base(std::uint32_t reg, std::uint32_t at) const {
        return bases_.at(key(reg, at));
    }

    std::vector<Instruction> instructions() { return std::move(out_); }

  private:
    std::uint32_t new_register(std::uint32_t like) {
        const auto index = static_cast<std::uint32_t>(function_.registers.size());
        function_.registers.push_back(
            {"%first_" + std::to_string(index), function_.registers[like].type});
        return index;
    }

    std::pair<std::uint32_t, bool> key(std::uint32_t reg, std::uint32_t at) const {
        return {reg, growth_.is_behind_write(reg, at)};
    }

    void write_own(Operand& operand) {
        if (operand.kind == OperandKind::reg && growth_.is_of_one_round(operand.index)) {
            const auto [own, is_new] = own_.try_emplace(operand.index, 0);
            if (is_new) own->second = new_register(operand.index);
            operand.index = own->second;
        }
        for (Operand& inner : operand.elements) write_own(inner);
    }

    // Registers that count from a constant on have that constant.
    void read_own(Operand& operand, std::uint32_t at, const Instruction& place) {
        for (Operand& inner : operand.elements) read_own(inner, at, place);
        if (operand.kind != OperandKind::reg) return;
        const std::uint32_t reg = operand.index;
        if (!growth_.is_of_one_round(reg)) {
            if (growth_.is_behind_write(reg, at) || growth_.of(reg).value_or(0) == 0) return;
            const auto value = growth_.first_value(reg);
            if (value && own_.count(reg) == 0) own_[reg] = move(reg, immediate(*value), place);
        }
        if (const auto own = own_.find(reg); own != own_.end()) operand.index = own->second;
    }

    std::uint32_t move(std::uint32_t like, const Operand& source, const Instruction& place) {
        Operand result;
        result.kind = OperandKind::reg;
        result.index = new_register(like);
        Instruction copy = place;
        copy.guard = {};
        copy.opcode = "mov";
        copy.modifiers = {bytes_of(function_.registers[like].type) == 8 ? "b64" : "b32"};
        copy.operands = {result, source};
        out_.push_back(std::move(copy));
        return result.index;
    }

    Function& function_;
    const LoopGrowth& growth_;
    std::map<std::uint32_t, std::uint32_t> own_;  // by register of the loop
    std::map<std::pair<std::uint32_t, bool>, std::uint32_t> bases_;
    std::vector<Instruction> out_;
};

class WholeLoops {
  public:
    WholeLoops(Function& function, const std::vector<MachineAccess>& code)
        : function_(function), code_(code) {}

    void unroll() {
        for (std::uint32_t latch = 0; latch < function_.instructions.size(); ++latch) {
            const auto head = head_of(latch);
            if (!head || !has_no_branch_back(latch)) continue;
            const LoopGrowth growth(function_, *head, latch);
            const auto rounds = growth.rounds(max_rounds);
            if (!rounds || *rounds < 2 || *rounds * (latch - *head) > max_instructions) continue;
            if (joins_rounds(*head, latch, *rounds)) latch = unroll(*head, latch, *rounds, growth);
        }
    }

  private:
    std::uint32_t place_of(const Operand& label) const {
        return function_.labels[label.index].instruction;
    }

    // A loop without branches that is entered at its head alone.
    std::optional<std::uint32_t> head_of(std::uint32_t latch) const {
        const Instruction& branch = function_.instructions[latch];
        if (branch.opcode != "bra" || branch.guard.reg < 0) return {};
        const std::uint32_t head = place_of(branch.operands[0]);
        if (head >= latch) return {};
        const bool is_entered = std::ranges::any_of(function_.labels, [&](const Label& label) {
            return label.instruction > head && label.instruction <= latch;
        });
        const bool is_straight =
            std::none_of(function_.instructions.begin() + head,
                         function_.instructions.begin() + latch, [](const Instruction& each) {
                             static constexpr std::array<std::string_view, 6> parts = {
                                 "bra", "brx", "ret", "exit", "trap", "call"};
                             return std::ranges::find(parts, each.opcode) != parts.end();
                         });
        return is_straight && !is_entered ? std::optional(head) : std::nullopt;
    }

    auto at_line(std::uint32_t line) const {
        return std::ranges::equal_range(code_, line, {}, &MachineAccess::line);
    }

    bool has_no_branch_back(std::uint32_t latch) const {
        const auto test = std::ranges::find_if(
            function_.instructions.rend() - latch, function_.instructions.rend(),
            [](const Instruction& each) { return each.opcode == "setp"; });
        const auto jumps = [&](std::uint32_t line) {
            return std::ranges::count(at_line(line), MachineAccessKind::jump, &MachineAccess::kind);
        };
        return jumps(function_.instructions[latch].text_line) == 0 &&
               (test == function_.instructions.rend() || jumps(test->text_line) == 0);
    }

    // Whether the machine code has other accesses than each round's: fewer or wider ones, but more than one round's.
    bool joins_rounds(std::uint32_t head, std::uint32_t latch, unsigned rounds) const {
        bool is_repeated = false, is_joined = false;
        for (std::uint32_t i = head; i < latch; ++i) {
            const Instruction& instruction = function_.instructions[i];
            if (!is_access(instruction)) continue;
            unsigned copies = 0;
            for (const MachineAccess& access : at_line(instruction.text_line)) {
                if (access.kind != MachineAccessKind::load &&
                    access.kind != MachineAccessKind::store)
                    continue;
                ++copies;
                is_joined |= access.bytes > bytes_of_lane(instruction);
            }
            is_repeated |= copies > 1;
            is_joined |= copies < rounds;
        }
        return is_repeated && is_joined;
    }

    // Returns the place of the last instruction.
    std::uint32_t unroll(std::uint32_t head, std::uint32_t latch, unsigned rounds,
                         const LoopGrowth& growth) {
        FirstRound first(function_, growth);
        for (std::uint32_t i = head; i < latch; ++i) first.add(function_.instructions[i], i);
        std::vector<Instruction> out = first.instructions();
        for (unsigned round = 1; round < rounds; ++round) {
            for (std::uint32_t i = head; i < latch; ++i) {
                out.push_back(function_.instructions[i]);
                Operand* const base = base_of(out.back());
                const auto grows = base != nullptr ? growth.of(base->index) : std::nullopt;
                if (!grows) continue;
                base->index = first.base(base->index, i);
                address_of(out.back()).offset += *grows * round;
            }
        }
        auto& all = function_.instructions;
        const auto end = head + static_cast<std::uint32_t>(out.size());
        for (Label& label : function_.labels) {
            if (label.instruction > latch) label.instruction += end - latch - 1;
        }
        all.erase(all.begin() + head, all.begin() + latch + 1);
        all.insert(all.begin() + head, out.begin(), out.end());
        return end - 1;
    }

    Function& function_;
    const std::vector<MachineAccess>& code_;
};

}  // namespace

void unroll_whole_loops(Module& module) {
    for (Function& function : module.functions) {
        const auto code = module.machine_code.find(function.name);
        if (code != module.machine_code.end()) WholeLoops(function, code->second).unroll();
    }
}

}  // namespace emulator::ptx
