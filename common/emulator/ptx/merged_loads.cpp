#include "emulator/ptx/merged_loads.hpp"

#include <algorithm>

#include "emulator/ptx/dominators.hpp"
#include "emulator/ptx/issued_pieces.hpp"
#include "emulator/ptx/plain_loads.hpp"
#include "emulator/ptx/register_facts.hpp"

namespace emulator::ptx {
namespace {

using Issued = std::map<std::uint32_t, std::vector<IssuedPiece>>;

// Of global memory at an address that a register has; into any number of registers.
bool is_mergeable(const Instruction& instruction) {
    if (instruction.opcode != "ld" || instruction.guard.reg >= 0 || is_ordered(instruction))
        return false;
    const Operand& at = instruction.operands[1];
    return space_of(instruction) == Space::global && at.kind == OperandKind::address &&
           at.elements.size() == 1 && at.elements[0].kind == OperandKind::reg;
}

class Merger {
  public:
    Merger(const Function& function, const ControlFlow& flow,
           const std::vector<MachineAccess>& code, Issued& issued)
        : function_(function), flow_(flow), code_(code), issued_(issued) {}

    void merge() {
        for (const BasicBlock& block : flow_.blocks) {
            std::vector<std::uint32_t> before;
            for (std::uint32_t i = block.first; i < block.end; ++i) {
                if (is_mergeable(at(i))) {
                    for (const std::uint32_t other : before) merge(other, i);
                    before.push_back(i);
                } else if (may_write_memory(at(i))) {
                    before.clear();
                }
                std::erase_if(before,
                              [&](std::uint32_t load) { return writes(at(i), base(load)); });
            }
        }
        leave_out_repeated();
    }

  private:
    struct Window {
        std::int64_t begin, end;
    };

    const Instruction& at(std::uint32_t i) const { return function_.instructions[i]; }
    std::uint32_t base(std::uint32_t load) const { return at(load).operands[1].elements[0].index; }
    bool is_in_code(std::uint32_t load) const { return is_issued(code_, at(load)); }

    Window window_of(std::uint32_t load) const {
        const std::int64_t begin = at(load).operands[1].offset;
        return {begin, begin + bytes_of_lane(at(load))};
    }

    // One is in the machine code, and wide enough for both.
    void merge(std::uint32_t one, std::uint32_t other) {
        if (base(one) != base(other) || is_in_code(one) == is_in_code(other)) return;
        const std::uint32_t taken = is_in_code(one) ? one : other,
                            gone = taken == one ? other : one;
        const auto bytes = bytes_issued(code_, at(taken));
        if (!bytes) return;
        Window& window = windows_.try_emplace(taken, window_of(taken)).first->second;
        const auto [begin, end] = window_of(gone);
        const Window both{std::min(window.begin, begin), std::max(window.end, end)};
        if (both.end - both.begin > *bytes) return;
        window = both;
        issued_[gone] = {};
        issued_[taken] = {{both.begin - at(taken).operands[1].offset, *bytes}};
    }

    // Registers that are written once hold what they held before.
    void leave_out_repeated() {
        std::vector<std::uint32_t> loads;
        for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
            if (is_mergeable(at(i)) && is_written_once(base(i))) loads.push_back(i);
        }
        if (loads.empty()) return;
        Graph graph;
        for (const BasicBlock& block : flow_.blocks) graph.push_back(block.successors);
        const Dominators above = dominators(graph, 0);
        for (const std::uint32_t load : loads) {
            if (is_in_code(load) || issued_.contains(load)) continue;
            const bool is_repeated = std::ranges::any_of(loads, [&](std::uint32_t other) {
                return other < load && is_in_code(other) && loads_the_same(at(other), at(load)) &&
                       above.dominates(flow_.block_of[other], flow_.block_of[load]);
            });
            if (is_repeated) issued_[load] = {};
        }
    }

    bool is_written_once(std::uint32_t reg) const {
        return std::ranges::count_if(function_.instructions, [&](const Instruction& instruction) {
                   return writes(instruction, reg);
               }) == 1;
    }

    const Function& function_;
    const ControlFlow& flow_;
    const std::vector<MachineAccess>& code_;
    Issued& issued_;
    std::map<std::uint32_t, Window> windows_;  // of the loads that others are merged into
};

}  // namespace

void merge_loads(const Function& function, const ControlFlow& flow,
                 const std::vector<MachineAccess>& code, Issued& issued) {
    Merger(function, flow, code, issued).merge();
}

}  // namespace emulator::ptx
