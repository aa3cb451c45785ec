#include "emulator/ptxas/instructions/control_flow.hpp"

#include <algorithm>
#include <utility>

namespace timing {
namespace {

namespace ptx = emulator::ptx;
using Set = std::vector<bool>;
using Block = std::uint32_t;

ptx::Graph graph_of(std::span<const FlowBlock> blocks) {
    ptx::Graph graph;
    for (const FlowBlock& block : blocks) graph.push_back(block.successors);
    return graph;
}

}  // namespace

PostDominators::PostDominators(std::span<const FlowBlock> blocks) {
    const auto end = static_cast<Block>(blocks.size());
    ptx::Graph graph = graph_of(blocks);
    for (std::vector<Block>& successors : graph) {
        if (successors.empty()) successors.push_back(end);
    }
    graph.emplace_back();
    immediate_ = ptx::dominators(ptx::reversed(graph), end).immediate;
}

std::optional<Block> PostDominators::of(Block block) const {
    const Block nearest = immediate_[block];
    return nearest < immediate_.size() - 1 ? std::optional(nearest) : std::nullopt;
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

Loops::Loops(std::span<const FlowBlock> blocks) : sources_(ptx::reversed(graph_of(blocks))) {
    if (blocks.empty()) return;
    dominators_ = ptx::dominators(graph_of(blocks), 0);
    for (Block i = 0; i < blocks.size(); ++i) {
        for (const Block next : blocks[i].successors) {
            if (dominates(next, i)) add(next, i);
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
