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

}  // namespace timing
