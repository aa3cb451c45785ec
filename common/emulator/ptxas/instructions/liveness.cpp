#include "emulator/ptxas/instructions/liveness.hpp"

#include <algorithm>
#include <utility>

namespace timing {
namespace {

using Set = std::vector<bool>;  // of registers, from the first one of the function

class Liveness {
  public:
    Liveness(std::span<const FlowBlock> blocks, Register first,
             std::span<const std::uint8_t> widths, bool has_uniform_registers)
        : blocks_(blocks),
          first_(first),
          widths_(widths),
          has_uniform_registers_(has_uniform_registers),
          varies_(widths.size()),
          live_in_(blocks.size(), Set(widths.size())) {
        find_varying();
        bool is_changed = true;
        while (is_changed) {
            is_changed = false;
            for (std::size_t i = blocks.size(); i-- > 0;) is_changed |= update(i);
        }
    }
    unsigned width(std::size_t block) const {
        unsigned sum = 0;
        for (std::size_t i = 0; i < widths_.size(); ++i) {
            if (live_in_[block][i] && varies_[i]) sum += widths_[i];
        }
        return sum;
    }

  private:
    void find_varying() {
        for (const FlowBlock& block : blocks_) {
            for (std::size_t i = 0; i < block.instructions.size(); ++i) {
                const Instruction& each = block.instructions[i];
                if (block.varies[i] || (!has_uniform_registers_ && each.slots > 0)) mark(each);
            }
            if (block.control != nullptr) mark(*block.control);
        }
        bool is_changed = true;
        while (is_changed) {
            is_changed = false;
            for (const FlowBlock& block : blocks_) {
                for (const Instruction& each : block.instructions) {
                    if (std::ranges::any_of(each.sources, [&](Register source) {
                            return varies_[source - first_];
                        }))
                        is_changed |= mark(each);
                }
            }
        }
    }

    bool mark(const Instruction& instruction) {
        bool is_changed = false;
        for (const Register each : instruction.destinations) {
            is_changed |= !varies_[each - first_];
            varies_[each - first_] = true;
        }
        return is_changed;
    }

    void pass(const Instruction& instruction, Set& live) const {
        for (const Register each : instruction.destinations) live[each - first_] = false;
        for (const Register each : instruction.sources) live[each - first_] = true;
    }

    bool update(std::size_t number) {
        const FlowBlock& block = blocks_[number];
        Set live(widths_.size());
        for (const std::uint32_t next : block.successors) {
            for (std::size_t i = 0; i < live.size(); ++i) live[i] = live[i] || live_in_[next][i];
        }
        if (block.control != nullptr) pass(*block.control, live);
        for (std::size_t i = block.instructions.size(); i-- > 0;) pass(block.instructions[i], live);
        if (live == live_in_[number]) return false;
        live_in_[number] = std::move(live);
        return true;
    }

    std::span<const FlowBlock> blocks_;
    Register first_;
    std::span<const std::uint8_t> widths_;
    bool has_uniform_registers_;
    Set varies_;  // registers, from thread to thread
    std::vector<Set> live_in_;
};

}  // namespace

std::vector<unsigned> live_registers(std::span<const FlowBlock> blocks, Register first,
                                     std::span<const std::uint8_t> widths,
                                     bool has_uniform_registers) {
    const Liveness liveness(blocks, first, widths, has_uniform_registers);
    std::vector<unsigned> counts;
    counts.reserve(blocks.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) counts.push_back(liveness.width(i));
    return counts;
}

}  // namespace timing
