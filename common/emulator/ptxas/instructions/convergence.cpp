#include "emulator/ptxas/instructions/convergence.hpp"

#include <algorithm>

#include "emulator/ptxas/instructions/control_flow.hpp"

namespace timing {
namespace {

using Set = std::vector<bool>;
using Block = std::uint32_t;

struct DivergentBranch {
    Block branch = 0, meeting = 0;
    Set between;  // blocks that a thread may execute before it meets the others; the branch only if it is a loop's

    bool is_loop() const { return between[branch]; }
};

class DivergenceAnalysis {
  public:
    DivergenceAnalysis(std::span<const FlowBlock> blocks, Register first, std::size_t registers)
        : blocks_(blocks), first_(first), varies_(registers) {
        const PostDominators meetings(blocks);
        for (Block i = 0; i < blocks.size(); ++i) {
            if (blocks[i].successors.size() < 2 || blocks[i].is_predicated) continue;
            const auto meeting = meetings.of(i);
            // Threads that have nothing left to do end where they part.
            if (meeting && !has_nothing_left(blocks[*meeting]))
                branches_.push_back({i, *meeting, between(blocks, i, *meeting)});
        }
        bool is_changed = true;
        while (is_changed) is_changed = spread();
    }
    // Those at which threads of a warp may part, but for such that lie between another one and the same meeting.
    std::vector<DivergentBranch> outermost() const {
        std::vector<DivergentBranch> found;
        for (const DivergentBranch& each : branches_) {
            const auto is_inside = [&](const DivergentBranch& other) {
                return parts(other) && other.meeting == each.meeting &&
                       other.branch != each.branch && other.between[each.branch] &&
                       !(each.between[other.branch] && each.branch < other.branch);
            };
            if (parts(each) && std::ranges::none_of(branches_, is_inside)) found.push_back(each);
        }
        return found;
    }

  private:
    bool varies(Register each) const { return varies_[each - first_]; }

    bool parts(const DivergentBranch& branch) const {
        const Instruction* const control = blocks_[branch.branch].control;
        return control != nullptr &&
               std::ranges::any_of(control->sources, [&](Register each) { return varies(each); });
    }

    bool mark(const Instruction& instruction) {
        bool is_changed = false;
        for (const Register each : instruction.destinations) {
            is_changed |= !varies(each);
            varies_[each - first_] = true;
        }
        return is_changed;
    }

    // A value varies that is made of values that vary, or on one way alone and read behind the meeting.
    bool spread() {
        bool is_changed = false;
        for (const FlowBlock& block : blocks_) {
            for (std::size_t i = 0; i < block.instructions.size(); ++i) {
                const Instruction& each = block.instructions[i];
                if (block.varies[i] || std::ranges::any_of(each.sources, [&](Register source) {
                        return varies(source);
                    }))
                    is_changed |= mark(each);
            }
            if (block.control != nullptr && !block.control->destinations.empty())
                is_changed |= mark(*block.control);
        }
        for (const DivergentBranch& branch : branches_) {
            if (parts(branch)) is_changed |= spread_from(branch);
        }
        return is_changed;
    }

    bool spread_from(const DivergentBranch& branch) {
        Set read_elsewhere(varies_.size());
        const auto note = [&](const Instruction& instruction) {
            for (const Register each : instruction.sources) read_elsewhere[each - first_] = true;
        };
        for (Block i = 0; i < blocks_.size(); ++i) {
            if (branch.between[i]) continue;
            for (const Instruction& each : blocks_[i].instructions) note(each);
            if (blocks_[i].control != nullptr) note(*blocks_[i].control);
        }
        bool is_changed = false;
        for (Block i = 0; i < blocks_.size(); ++i) {
            if (!branch.between[i]) continue;
            for (const Instruction& each : blocks_[i].instructions) {
                if (std::ranges::any_of(each.destinations, [&](Register made) {
                        return read_elsewhere[made - first_];
                    }))
                    is_changed |= mark(each);
            }
        }
        return is_changed;
    }

    std::span<const FlowBlock> blocks_;
    Register first_;
    Set varies_;  // registers, from thread to thread
    std::vector<DivergentBranch> branches_;
};

}  // namespace

std::vector<Convergence> convergence_of(std::span<const FlowBlock> blocks, Register first,
                                        std::size_t registers) {
    std::vector<Convergence> result(blocks.size());
    for (const DivergentBranch& each : DivergenceAnalysis(blocks, first, registers).outermost()) {
        ++result[each.meeting].ends;
        if (!each.is_loop()) {
            ++result[each.branch].begins;
            continue;
        }
        // Once for all rounds: where the loop is entered.
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            if (!each.between[i] && std::ranges::any_of(blocks[i].successors, [&](Block next) {
                    return each.between[next];
                }))
                ++result[i].begins;
        }
    }
    return result;
}

}  // namespace timing
