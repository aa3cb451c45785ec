#include "timing/liveness.hpp"

#include <algorithm>
#include <utility>

namespace timing {
namespace {

using Set = std::vector<bool>;  // of registers, from the first one of the function

class Liveness {
  public:
    Liveness(std::span<const FlowBlock> blocks, Register first,
             std::span<const std::uint8_t> widths)
        : blocks_(blocks),
          first_(first),
          widths_(widths),
          is_made_(widths.size()),
          live_in_(blocks.size(), Set(widths.size())) {
        find_made();
        bool is_changed = true;
        while (is_changed) {
            is_changed = false;
            for (std::size_t i = blocks.size(); i-- > 0;) is_changed |= update(i);
        }
    }
    unsigned width(std::size_t block) const {
        unsigned sum = 0;
        for (std::size_t i = 0; i < widths_.size(); ++i) {
            if (live_in_[block][i] && is_made_[i]) sum += widths_[i];
        }
        return sum;
    }

  private:
    bool is_made(Register each) const { return is_made_[each - first_]; }

    void find_made() {
        std::vector<unsigned> makers(widths_.size());
        for (const FlowBlock& block : blocks_) {
            for (std::size_t i = 0; i < block.instructions.size(); ++i)
                count_makers(block.instructions[i], block.varies[i], makers);
            if (block.control != nullptr) count_makers(*block.control, true, makers);
        }
        bool is_changed = true;
        while (is_changed) {
            is_changed = false;
            for (const FlowBlock& block : blocks_) {
                for (const Instruction& each : block.instructions) is_changed |= pass_on(each);
            }
        }
    }

    void count_makers(const Instruction& instruction, bool varies, std::vector<unsigned>& makers) {
        for (const Register each : instruction.destinations) {
            if (++makers[each - first_] > 1 || varies) is_made_[each - first_] = true;
        }
    }

    bool pass_on(const Instruction& instruction) {
        bool is_changed = false;
        if (std::ranges::none_of(instruction.sources, [&](Register each) { return is_made(each); }))
            return is_changed;
        for (const Register each : instruction.destinations) {
            is_changed |= !is_made(each);
            is_made_[each - first_] = true;
        }
        return is_changed;
    }

    bool update(std::size_t number) {
        const FlowBlock& block = blocks_[number];
        Set live(widths_.size());
        for (const std::uint32_t next : block.successors) {
            for (std::size_t i = 0; i < live.size(); ++i) live[i] = live[i] || live_in_[next][i];
        }
        const auto pass = [&](const Instruction& instruction) {
            for (const Register each : instruction.destinations) live[each - first_] = false;
            for (const Register each : instruction.sources) live[each - first_] = true;
        };
        if (block.control != nullptr) pass(*block.control);
        for (std::size_t i = block.instructions.size(); i-- > 0;) pass(block.instructions[i]);
        if (live == live_in_[number]) return false;
        live_in_[number] = std::move(live);
        return true;
    }

    std::span<const FlowBlock> blocks_;
    Register first_;
    std::span<const std::uint8_t> widths_;
    Set is_made_;
    std::vector<Set> live_in_;
};

}  // namespace

std::vector<unsigned> live_registers(std::span<const FlowBlock> blocks, Register first,
                                     std::span<const std::uint8_t> widths) {
    const Liveness liveness(blocks, first, widths);
    std::vector<unsigned> counts;
    for (std::size_t i = 0; i < blocks.size(); ++i) counts.push_back(liveness.width(i));
    return counts;
}

}  // namespace timing
