#include "emulator/ptxas/accesses/merged_accesses.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "emulator/ptx/flow/address_values.hpp"
#include "emulator/ptx/flow/dominators.hpp"
#include "emulator/ptxas/accesses/machine_accesses.hpp"
#include "emulator/ptxas/accesses/movable_loads.hpp"

namespace emulator::ptx {
namespace {

using Issued = std::map<std::uint32_t, std::vector<IssuedPiece>>;

const Operand& address_of(const Instruction& access) {
    return access.operands[access.opcode == "ld" ? 1 : 0];
}

// At an address that a register has; of any number of registers.
bool is_access_of(const Instruction& instruction, std::string_view opcode, Space space) {
    if (instruction.opcode != opcode || instruction.guard.reg >= 0 || is_ordered(instruction))
        return false;
    const Operand& at = address_of(instruction);
    return space_of(instruction) == space && at.kind == OperandKind::address &&
           at.elements.size() == 1 && at.elements[0].kind == OperandKind::reg;
}

bool is_load_of(const Instruction& instruction, Space space) {
    return is_access_of(instruction, "ld", space);
}
bool is_mergeable(const Instruction& instruction) { return is_load_of(instruction, Space::global); }

class Merger {
  public:
    Merger(const Function& function, const ControlFlow& flow, const RegisterFacts& facts,
           const std::vector<MachineAccess>& code, Issued& issued)
        : function_(function), flow_(flow), facts_(facts), code_(code), issued_(issued) {}

    void merge() {
        // Bases are aligned more often than not: of 4 bytes at 12 it is the 4 at 8 that come with them.
        for (const bool is_aligned : {true, false}) {
            merge_in_blocks("ld", is_aligned);
            merge_in_blocks("st", is_aligned);
        }
        leave_out_repeated();
        merge_with_dominating(Space::shared);
        merge_with_dominating(Space::global);
    }

  private:
    struct Window {
        std::int64_t begin, end;
    };

    void merge_in_blocks(std::string_view opcode, bool is_aligned) {
        for (const BasicBlock& block : flow_.blocks) {
            std::vector<std::uint32_t> before;
            for (std::uint32_t i = block.first; i < block.end; ++i) {
                if (is_access_of(at(i), opcode, Space::global)) {
                    for (const std::uint32_t other : before) merge(other, i, is_aligned);
                    before.push_back(i);
                } else if (may_write_memory(at(i))) {
                    before.clear();
                }
                std::erase_if(before,
                              [&](std::uint32_t access) { return writes(at(i), base(access)); });
            }
        }
    }

    const Instruction& at(std::uint32_t i) const { return function_.instructions[i]; }
    std::uint32_t base(std::uint32_t access) const {
        return address_of(at(access)).elements[0].index;
    }
    bool is_in_code(std::uint32_t access) const { return is_issued(code_, at(access)); }

    Window window_of(std::uint32_t access) const {
        const std::int64_t begin = address_of(at(access)).offset;
        return {begin, begin + bytes_of_lane(at(access))};
    }

    // One is in the machine code, and wide enough for both.
    void merge(std::uint32_t one, std::uint32_t other, bool is_aligned) {
        if (base(one) != base(other) || is_in_code(one) == is_in_code(other)) return;
        const std::uint32_t taken = is_in_code(one) ? one : other,
                            gone = taken == one ? other : one;
        const auto bytes = bytes_issued(code_, at(taken));
        if (!bytes || is_left_out(gone)) return;
        Window& window = windows_.try_emplace(taken, window_of(taken)).first->second;
        const auto [begin, end] = window_of(gone);
        const Window both{std::min(window.begin, begin), std::max(window.end, end)};
        const std::int64_t beyond = (both.begin % *bytes + *bytes) % *bytes;
        if (both.end - both.begin + (is_aligned ? beyond : 0) > *bytes) return;
        window = both;
        issued_[gone] = {};
        issued_[taken] = {{both.begin - address_of(at(taken)).offset, *bytes}};
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

    // A load that the machine code does not have was made before, by one that is wide enough, whichever block it stands in
    // and whichever register has its address.
    void merge_with_dominating(Space space) {
        std::vector<std::uint32_t> loads;
        bool is_any_gone = false;
        for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
            if (!is_load_of(at(i), space)) continue;
            loads.push_back(i);
            is_any_gone |= !is_in_code(i);
        }
        if (!is_any_gone) return;
        const AddressValues values(function_);
        Graph graph;
        for (const BasicBlock& block : flow_.blocks) graph.push_back(block.successors);
        const Dominators above = dominators(graph, 0);
        for (const std::uint32_t gone : loads) {
            if (is_in_code(gone) || is_left_out(gone)) continue;
            for (const std::uint32_t taken : loads) {
                const std::uint32_t from = flow_.block_of[taken], to = flow_.block_of[gone];
                if (taken == gone || is_left_out(taken) || !is_in_code(taken)) continue;
                if (from == to ? taken > gone : !above.dominates(from, to)) continue;
                if (is_written_between(taken, gone, space)) continue;
                if (values.of(base(taken)).root != values.of(base(gone)).root) continue;
                if (extend(taken, gone,
                           values.of(base(gone)).offset - values.of(base(taken)).offset))
                    break;
            }
        }
    }

    // As far as the two blocks tell.
    bool is_written_between(std::uint32_t before, std::uint32_t behind, Space space) const {
        const BasicBlock &one = flow_.blocks[flow_.block_of[before]],
                         &other = flow_.blocks[flow_.block_of[behind]];
        const auto is_written = [&](std::uint32_t first, std::uint32_t end) {
            for (std::uint32_t i = first; i < end; ++i) {
                const Space written = at(i).opcode == "st" ? space_of(at(i)) : Space::generic;
                if (may_write_memory(at(i)) && (written == space || written == Space::generic))
                    return true;
            }
            return false;
        };
        if (&one == &other) return is_written(before, behind);
        return is_written(before, one.end) || is_written(other.first, behind);
    }

    bool is_left_out(std::uint32_t access) const {
        const auto found = issued_.find(access);
        return found != issued_.end() && found->second.empty();
    }

    // The access that is issued for a load, counted from its base.
    Window issued_window(std::uint32_t load) const {
        const auto found = issued_.find(load);
        if (found == issued_.end()) return window_of(load);
        Window window{INT64_MAX, INT64_MIN};
        for (const IssuedPiece& piece : found->second) {
            window.begin = std::min(window.begin, piece.offset);
            window.end = std::max(window.end, piece.offset + piece.bytes);
        }
        const std::int64_t offset = at(load).operands[1].offset;
        return {window.begin + offset, window.end + offset};
    }

    // `apart`: from one base to the other.
    bool extend(std::uint32_t taken, std::uint32_t gone, std::int64_t apart) {
        const auto bytes = bytes_issued(code_, at(taken));
        if (!bytes) return false;
        const Window one = issued_window(taken), other = issued_window(gone);
        Window both{std::min(one.begin, other.begin + apart), std::max(one.end, other.end + apart)};
        if (both.end - both.begin > *bytes) return false;
        // As wide as it is, it is aligned.
        const LowBits known = facts_.low_bits(at(taken).operands[1].elements[0]);
        if (std::int64_t{1} << known.bits >= *bytes) {
            const auto beyond = (known.value + both.begin % *bytes + *bytes) % *bytes;
            if (both.end - both.begin + beyond > *bytes) return false;
            both.begin -= beyond;
        }
        issued_[gone] = {};
        issued_[taken] = {{both.begin - at(taken).operands[1].offset, *bytes}};
        return true;
    }

    bool is_written_once(std::uint32_t reg) const {
        return std::ranges::count_if(function_.instructions, [&](const Instruction& instruction) {
                   return writes(instruction, reg);
               }) == 1;
    }

    const Function& function_;
    const ControlFlow& flow_;
    const RegisterFacts& facts_;
    const std::vector<MachineAccess>& code_;
    Issued& issued_;
    std::map<std::uint32_t, Window> windows_;  // of the accesses that others are merged into
};

}  // namespace

void merge_accesses(const Function& function, const ControlFlow& flow, const RegisterFacts& facts,
                    const std::vector<MachineAccess>& code, Issued& issued) {
    Merger(function, flow, facts, code, issued).merge();
}

}  // namespace emulator::ptx
