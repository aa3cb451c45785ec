#include "emulator/ptxas/accesses/moved_loads.hpp"

#include <algorithm>
#include <optional>

#include "emulator/ptx/flow/control_flow.hpp"
#include "emulator/ptx/flow/register_facts.hpp"
#include "emulator/ptx/parse/types.hpp"
#include "emulator/ptxas/accesses/load_sinking.hpp"
#include "emulator/ptxas/accesses/movable_loads.hpp"

namespace emulator::ptx {
namespace {

struct Copies {
    unsigned all = 0, guarded = 0;
};

Copies copies_of(const Instruction& instruction, const std::vector<MachineAccess>& code) {
    Copies copies;
    for (const MachineAccess& access :
         std::ranges::equal_range(code, instruction.text_line, {}, &MachineAccess::line)) {
        if (access.kind != MachineAccessKind::load) continue;
        ++copies.all;
        copies.guarded += access.is_guarded ? 1 : 0;
    }
    return copies;
}

class Mover {
  public:
    Mover(Function& function, const std::vector<MachineAccess>& code)
        : function_(function), code_(code), flow_(analyse_control_flow(function)) {}

    void guard() {
        for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) guard(i);
    }

    // The loads of the last branch that has any. Whether there was one: what is known of the flow holds no longer then.
    bool hoist_one() {
        for (std::size_t block = flow_.blocks.size(); block-- > 0;) {
            if (hoist(static_cast<std::uint32_t>(block))) return true;
        }
        return false;
    }

  private:
    Instruction& at(std::uint32_t i) { return function_.instructions[i]; }

    void guard(std::uint32_t load) {
        const Copies copies = is_plain_load(at(load)) ? copies_of(at(load), code_) : Copies{};
        if (copies.all == 0 || copies.guarded != copies.all) return;
        const std::uint32_t value = at(load).operands[0].index;
        const auto selection = only_reader(value);
        if (!selection || *selection < load || flow_.block_of[*selection] != flow_.block_of[load] ||
            at(*selection).opcode != "selp") {
            return;
        }
        const auto& operands = at(*selection).operands;
        const bool is_first = reads(operands[1], value), is_second = reads(operands[2], value);
        if (is_first == is_second || operands[3].kind != OperandKind::reg) return;
        const std::uint32_t predicate = operands[3].index;
        for (std::uint32_t i = load; i < *selection; ++i) {
            if (writes(at(i), predicate)) return;
        }
        at(load).guard = {static_cast<std::int32_t>(predicate), is_second != operands[3].negated};
    }

    std::optional<std::uint32_t> only_reader(std::uint32_t reg) {
        std::optional<std::uint32_t> found;
        for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
            const Instruction& instruction = at(i);
            const std::size_t first = written_registers(instruction).empty() ? 0 : 1;
            const bool is_reader = std::any_of(
                instruction.operands.begin() +
                    static_cast<std::ptrdiff_t>(std::min(first, instruction.operands.size())),
                instruction.operands.end(), [&](const Operand& each) { return reads(each, reg); });
            if (!is_reader) continue;
            if (found) return {};
            found = i;
        }
        return found;
    }

    // The two blocks to which all paths from a branch lead, perhaps through further branches that compute no more
    // than their conditions: if (a || b) one; else other;
    struct Sides {
        std::vector<std::uint32_t> between, ends;
    };

    std::optional<Sides> sides_of(std::uint32_t block) {
        Sides sides;
        std::vector<std::uint32_t> inside = {block};
        sides.ends = flow_.blocks[block].successors;
        const auto is_entered_from_inside = [&](std::uint32_t end) {
            for (std::uint32_t i = 0; i < flow_.blocks.size(); ++i) {
                if (std::ranges::count(inside, i) != 0) continue;
                if (std::ranges::count(flow_.blocks[i].successors, end) != 0) return false;
            }
            return end != 0;
        };
        const auto is_jump = [&](std::uint32_t end) {
            return flow_.blocks[end].successors.size() == 1 && is_condition(end);
        };
        while (sides.ends.size() != 2 || std::ranges::any_of(sides.ends, is_jump) ||
               !std::ranges::all_of(sides.ends, is_entered_from_inside)) {
            const auto next = std::ranges::find_if(sides.ends, [&](std::uint32_t end) {
                return is_condition(end) && is_entered_from_inside(end);
            });
            if (next == sides.ends.end()) return {};
            const std::uint32_t added = *next;
            sides.ends.erase(next);
            inside.push_back(added);
            sides.between.push_back(added);
            for (const std::uint32_t end : flow_.blocks[added].successors) {
                if (std::ranges::count(sides.ends, end) == 0) sides.ends.push_back(end);
            }
        }
        return sides;
    }

    bool is_condition(std::uint32_t block) {
        const BasicBlock& here = flow_.blocks[block];
        if (here.ending != BlockEnd::branch) return false;
        for (std::uint32_t i = here.first; i < here.end; ++i) {
            if (at(i).opcode == "ld" || may_write_memory(at(i))) return false;
        }
        return true;
    }

    bool hoist(std::uint32_t block) {
        const BasicBlock& here = flow_.blocks[block];
        if (here.ending != BlockEnd::branch || here.successors.size() != 2) return false;
        const auto sides = sides_of(block);
        if (!sides) return false;
        const BasicBlock &one = flow_.blocks[sides->ends[0]], &other = flow_.blocks[sides->ends[1]];
        std::vector<Instruction> before;
        for (std::uint32_t i = one.first; i < one.end && !may_write_memory(at(i)); ++i) {
            if (!can_be_hoisted(i, one) || is_base_written(i, sides->between)) continue;
            const auto twin = find_twin(i, other);
            if (!twin || !is_gone(i, *twin)) continue;
            const std::uint32_t left = copies_of(at(i), code_).all != 0 ? i : *twin;
            if (stands_behind(left, here.end - 1)) continue;
            before.push_back(at(left));
            const std::uint32_t value = add_register(at(i).operands[0].index);
            before.back().operands[0].index = value;
            take(i, value);
            take(*twin, value);
        }
        insert(here.end - 1, before);
        return !before.empty();
    }

    bool is_base_written(std::uint32_t load, const std::vector<std::uint32_t>& blocks) {
        const std::uint32_t base = at(load).operands[1].elements[0].index;
        return std::ranges::any_of(blocks, [&](std::uint32_t block) {
            const BasicBlock& here = flow_.blocks[block];
            for (std::uint32_t i = here.first; i < here.end; ++i) {
                if (writes(at(i), base)) return true;
            }
            return false;
        });
    }

    // Its address is known at the block's begin.
    bool can_be_hoisted(std::uint32_t load, const BasicBlock& block) {
        if (!is_plain_load(at(load)) && !is_plain_load(at(load), "shared")) return false;
        const std::uint32_t base = at(load).operands[1].elements[0].index;
        for (std::uint32_t i = block.first; i < load; ++i) {
            if (writes(at(i), base)) return false;
        }
        return true;
    }

    std::optional<std::uint32_t> find_twin(std::uint32_t load, const BasicBlock& block) {
        for (std::uint32_t i = block.first; i < block.end && !may_write_memory(at(i)); ++i) {
            if (can_be_hoisted(i, block) && loads_the_same(at(load), at(i))) return i;
        }
        return {};
    }

    // The machine code has one of the two.
    bool is_gone(std::uint32_t one, std::uint32_t other) {
        const unsigned first = copies_of(at(one), code_).all,
                       second = copies_of(at(other), code_).all;
        return (first == 0) != (second == 0);
    }

    // In the machine code, too: then the other load is gone for another reason.
    bool stands_behind(std::uint32_t load, std::uint32_t branch) {
        const auto of = [&](std::uint32_t i, MachineAccessKind kind) {
            std::optional<std::uint32_t> first;
            for (const MachineAccess& access :
                 std::ranges::equal_range(code_, at(i).text_line, {}, &MachineAccess::line)) {
                if (access.kind == kind)
                    first = std::min(first.value_or(access.place), access.place);
            }
            return first;
        };
        const auto jump = of(branch, MachineAccessKind::jump),
                   place = of(load, MachineAccessKind::load);
        return jump && place && *place > *jump;
    }

    std::uint32_t add_register(std::uint32_t like) {
        const Type type = function_.registers[like].type;
        function_.registers.push_back(
            {"%hoisted" + std::to_string(function_.registers.size()), type});
        return static_cast<std::uint32_t>(function_.registers.size() - 1);
    }

    void take(std::uint32_t load, std::uint32_t value) {
        Instruction& instruction = at(load);
        const std::uint32_t result = instruction.operands[0].index;
        const unsigned bits = 8 * bytes_of(function_.registers[result].type);
        instruction.opcode = "mov";
        instruction.modifiers = {"b" + std::to_string(bits)};
        Operand source;
        source.kind = OperandKind::reg;
        source.index = value;
        instruction.operands = {instruction.operands[0], source};
    }

    void insert(std::uint32_t before, const std::vector<Instruction>& instructions) {
        const auto count = static_cast<std::uint32_t>(instructions.size());
        function_.instructions.insert(function_.instructions.begin() + before, instructions.begin(),
                                      instructions.end());
        for (Label& label : function_.labels) {
            if (label.instruction > before) label.instruction += count;
        }
    }

    Function& function_;
    const std::vector<MachineAccess>& code_;
    const ControlFlow flow_;  // as it was
};

}  // namespace

void move_loads(Module& module) {
    for (Function& function : module.functions) {
        const auto code = module.machine_code.find(function.name);
        if (code == module.machine_code.end()) continue;
        Mover(function, code->second).guard();
        while (Mover(function, code->second).hoist_one()) {
        }
        sink_loads(function, code->second);
    }
}

}  // namespace emulator::ptx
