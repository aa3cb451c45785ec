#include "emulator/ptxas/instructions/control_flow.hpp"

#include <algorithm>
#include <utility>

namespace timing {
namespace {

using Set = std::vector<bool>;
using Block = std::uint32_t;

// Blocks to which `from` lead.
Set reached(std::vector<Block> from, const std::vector<std::vector<Block>>& next) {
    Set result(next.size());
    while (!from.empty()) {
        const Block block = from.back();
        from.pop_back();
        if (result[block]) continue;
        result[block] = true;
        from.insert(from.end(), next[block].begin(), next[block].end());
    }
    return result;
}

std::vector<std::vector<Block>> sources_of(std::span<const FlowBlock> blocks) {
    std::vector<std::vector<Block>> sources(blocks.size());
    for (Block i = 0; i < blocks.size(); ++i) {
        for (const Block next : blocks[i].successors) sources[next].push_back(i);
    }
    return sources;
}

}  // namespace

PostDominators::PostDominators(std::span<const FlowBlock> blocks)
    : behind_(blocks.size(), Set(blocks.size(), true)) {
    bool is_changed = true;
    while (is_changed) {
        is_changed = false;
        for (std::size_t i = blocks.size(); i-- > 0;) is_changed |= update(blocks[i], i);
    }
    std::vector<Block> ends;
    for (Block i = 0; i < blocks.size(); ++i) {
        if (blocks[i].successors.empty()) ends.push_back(i);
    }
    reaches_end_ = reached(std::move(ends), sources_of(blocks));
}

std::optional<Block> PostDominators::of(Block block) const {
    if (!reaches_end_[block]) return std::nullopt;
    const Set& all = behind_[block];
    for (Block each = 0; each < all.size(); ++each) {
        if (!all[each] || each == block) continue;
        // The nearest one has all others behind itself.
        const auto is_behind = [&](Block other) {
            return !all[other] || other == block || behind_[each][other];
        };
        bool is_nearest = true;
        for (Block other = 0; other < all.size(); ++other) is_nearest &= is_behind(other);
        if (is_nearest) return each;
    }
    return std::nullopt;
}

bool PostDominators::update(const FlowBlock& block, std::size_t number) {
    Set behind(behind_.size(), !block.successors.empty());
    for (const Block next : block.successors) {
        for (std::size_t i = 0; i < behind.size(); ++i) behind[i] = behind[i] && behind_[next][i];
    }
    behind[number] = true;
    if (behind == behind_[number]) return false;
    behind_[number] = std::move(behind);
    return true;
}

Set between(std::span<const FlowBlock> blocks, Block branch, Block meeting) {
    Set reached(blocks.size());
    std::vector<Block> open = blocks[branch].successors;
    while (!open.empty()) {
        const Block block = open.back();
        open.pop_back();
        if (block == meeting || reached[block]) continue;
        reached[block] = true;
        open.insert(open.end(), blocks[block].successors.begin(), blocks[block].successors.end());
    }
    return reached;
}

Loops::Loops(std::span<const FlowBlock> blocks)
    : dominators_(blocks.size(), Set(blocks.size(), true)), sources_(sources_of(blocks)) {
    bool is_changed = true;
    while (is_changed) {
        is_changed = false;
        for (Block i = 0; i < blocks.size(); ++i) is_changed |= update(i);
    }
    std::vector<std::vector<Block>> successors;
    for (const FlowBlock& block : blocks) successors.push_back(block.successors);
    const Set is_reached = reached({0}, successors);
    for (Block i = 0; i < blocks.size(); ++i) {
        for (const Block next : blocks[i].successors) {
            if (is_reached[i] && dominates(next, i)) add(next, i);
        }
    }
    for (Loop& each : loops_)
        each.size = static_cast<std::size_t>(std::ranges::count(each.body, true));
    for (Block i = 0; i < blocks.size(); ++i) around_.push_back(innermost(i));
}

std::size_t Loops::innermost(Block block) const {
    std::size_t found = no_loop;
    for (std::size_t i = 0; i < loops_.size(); ++i) {
        if (loops_[i].body[block] && (found == no_loop || loops_[i].size < loops_[found].size))
            found = i;
    }
    return found;
}

// What nothing leads to is behind all blocks, and so leaves the others' alone.
bool Loops::update(Block block) {
    Set before(dominators_.size(), block != 0);
    for (const Block each : sources_[block]) {
        for (Block i = 0; i < before.size(); ++i) before[i] = before[i] && dominators_[each][i];
    }
    before[block] = true;
    if (before == dominators_[block]) return false;
    dominators_[block] = std::move(before);
    return true;
}

void Loops::add(Block header, Block latch) {
    auto loop = std::ranges::find(loops_, header, &Loop::header);
    if (loop == loops_.end()) {
        loop = loops_.insert(loop, {header, {}, Set(sources_.size())});
        loop->body[header] = true;
    }
    loop->latches.push_back(latch);
    std::vector<Block> open{latch};
    while (!open.empty()) {
        const Block block = open.back();
        open.pop_back();
        if (loop->body[block]) continue;
        loop->body[block] = true;
        open.insert(open.end(), sources_[block].begin(), sources_[block].end());
    }
}

std::vector<Nesting> nesting_of(std::span<const FlowBlock> blocks) {
    const PostDominators meetings(blocks);
    const Loops loops(blocks);
    std::vector<Nesting> result(blocks.size());
    for (Block i = 0; i < blocks.size(); ++i) result[i].is_in_loop = loops.around(i) != nullptr;
    for (Block branch = 0; branch < blocks.size(); ++branch) {
        if (blocks[branch].successors.size() < 2) continue;
        const auto meeting = meetings.of(branch);
        if (!meeting || has_nothing_left(blocks[*meeting])) continue;
        const Set within = between(blocks, branch, *meeting);
        if (within[branch]) continue;  // a loop's
        for (Block i = 0; i < blocks.size(); ++i) {
            const Loops::Loop* const loop = within[i] ? loops.around(i) : nullptr;
            if (within[i] && (loop == nullptr || loop->body[branch])) ++result[i].conditionals;
        }
    }
    return result;
}

}  // namespace timing
