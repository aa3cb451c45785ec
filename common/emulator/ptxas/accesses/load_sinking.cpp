#include "emulator/ptxas/accesses/load_sinking.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "emulator/ptx/flow/control_flow.hpp"
#include "emulator/ptx/flow/register_facts.hpp"
#include "emulator/ptxas/accesses/movable_loads.hpp"

namespace emulator::ptx {
namespace {

// Its result depends on its operands alone, and it does nothing else.
bool is_computation(const Instruction& instruction) {
    static constexpr std::array<std::string_view, 21> opcodes = {
        "add", "sub", "mul", "mad", "fma", "div", "rem", "neg", "abs",  "min", "max",
        "and", "or",  "xor", "not", "shl", "shr", "cvt", "mov", "selp", "setp"};
    return instruction.guard.reg < 0 && std::ranges::count(opcodes, instruction.opcode) != 0;
}

// The one place in the machine code of what stands at a line.
std::optional<std::uint32_t> only_place(const std::vector<MachineAccess>& code,
                                        const Instruction& instruction, MachineAccessKind kind) {
    std::optional<std::uint32_t> found;
    for (const MachineAccess& access :
         std::ranges::equal_range(code, instruction.text_line, {}, &MachineAccess::line)) {
        if (access.kind != kind) continue;
        if (found) return {};
        found = access.place;
    }
    return found;
}

class Sinker {
  public:
    Sinker(Function& function, const std::vector<MachineAccess>& code)
        : function_(function), code_(code), flow_(analyse_control_flow(function)) {}

    // Moves one load, and what is computed of it in its block. Whether there was one.
    bool sink_one() {
        for (std::size_t block = flow_.blocks.size(); block-- > 0;) {
            const BasicBlock& here = flow_.blocks[block];
            if (here.ending != BlockEnd::branch || here.successors.size() != 2) continue;
            const auto jump = only_place(code_, at(here.end - 1), MachineAccessKind::jump);
            if (!jump) continue;
            for (std::uint32_t i = here.end - 1; i-- > here.first;) {
                if (!is_plain_load(at(i))) continue;
                const auto load = only_place(code_, at(i), MachineAccessKind::load);
                if (load && *load > *jump && sink(i, static_cast<std::uint32_t>(block)))
                    return true;
            }
        }
        return false;
    }

  private:
    const Instruction& at(std::uint32_t i) const { return function_.instructions[i]; }

    bool sink(std::uint32_t load, std::uint32_t block) {
        const auto moved = with_what_follows(load, flow_.blocks[block]);
        if (!moved) return false;
        std::optional<std::uint32_t> side;
        for (const std::uint32_t successor : flow_.blocks[block].successors) {
            if (!takes_any(successor, *moved)) continue;
            if (side) return false;
            side = successor;
        }
        if (!side || !is_entered_once(*side)) return false;
        move(*moved, flow_.blocks[*side].first);
        return true;
    }

    // The load and what its block computes of it; nothing where that cannot stand behind the branch.
    std::optional<std::vector<std::uint32_t>> with_what_follows(std::uint32_t load,
                                                                const BasicBlock& block) const {
        std::vector<std::uint32_t> moved = {load};
        for (std::uint32_t i = load + 1; i < block.end; ++i) {
            if (may_write_memory(at(i))) return {};
            const bool depends = std::ranges::any_of(moved, [&](std::uint32_t before) {
                return std::ranges::any_of(written_registers(at(before)),
                                           [&](std::uint32_t reg) { return reads(at(i), reg); });
            });
            if (depends && !is_computation(at(i))) return {};
            if (depends) {
                moved.push_back(i);
                continue;
            }
            for (const std::uint32_t reg : written_registers(at(i))) {
                if (std::ranges::any_of(moved, [&](std::uint32_t before) {
                        return reads(at(before), reg) || writes(at(before), reg);
                    }))
                    return {};
            }
        }
        return moved;
    }

    bool takes_any(std::uint32_t block, const std::vector<std::uint32_t>& moved) const {
        return std::ranges::any_of(moved, [&](std::uint32_t i) {
            return std::ranges::any_of(written_registers(at(i)),
                                       [&](std::uint32_t reg) { return is_taken(block, reg); });
        });
    }

    // Whether a block, or one behind it, reads the register before something writes it.
    bool is_taken(std::uint32_t block, std::uint32_t reg) const {
        std::vector<bool> is_seen(flow_.blocks.size());
        std::vector<std::uint32_t> pending = {block};
        while (!pending.empty()) {
            const std::uint32_t next = pending.back();
            pending.pop_back();
            if (is_seen[next]) continue;
            is_seen[next] = true;
            bool is_lost = false;
            for (std::uint32_t i = flow_.blocks[next].first; i < flow_.blocks[next].end; ++i) {
                if (reads(at(i), reg)) return true;
                is_lost = writes(at(i), reg) && at(i).guard.reg < 0;
                if (is_lost) break;
            }
            if (is_lost) continue;
            const auto& successors = flow_.blocks[next].successors;
            pending.insert(pending.end(), successors.begin(), successors.end());
        }
        return false;
    }

    bool is_entered_once(std::uint32_t block) const {
        return block != 0 && std::ranges::count_if(flow_.blocks, [&](const BasicBlock& from) {
                                 return std::ranges::count(from.successors, block) != 0;
                             }) == 1;
    }

    void move(const std::vector<std::uint32_t>& moved, std::uint32_t target) {
        std::vector<Instruction> instructions;
        instructions.reserve(moved.size());
        for (const std::uint32_t i : moved) instructions.push_back(at(i));
        auto& all = function_.instructions;
        for (std::size_t k = moved.size(); k-- > 0;) {
            all.erase(all.begin() + moved[k]);
            for (Label& label : function_.labels) label.instruction -= label.instruction > moved[k];
            target -= target > moved[k];
        }
        all.insert(all.begin() + target, instructions.begin(), instructions.end());
        const auto count = static_cast<std::uint32_t>(instructions.size());
        for (Label& label : function_.labels) {
            if (label.instruction > target) label.instruction += count;
        }
    }

    Function& function_;
    const std::vector<MachineAccess>& code_;
    const ControlFlow flow_;
};

}  // namespace

void sink_loads(Function& function, const std::vector<MachineAccess>& code) {
    while (Sinker(function, code).sink_one()) {
    }
}

}  // namespace emulator::ptx
