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

}  // namespace timing
