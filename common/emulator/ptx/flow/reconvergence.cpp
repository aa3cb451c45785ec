// Where lanes that diverge at a branch reconverge.
//
// Post-dominators of the whole graph would let lanes that return early keep the others diverged for good.
// Hardware does not: a lane that exits is taken off the barriers (Volta's BSSY/BSYNC) and stacks (before
// it) on which others wait for it. So edges into code from which lanes never come back are left out.
#include "emulator/ptx/flow/reconvergence.hpp"

#include <algorithm>

#include "emulator/ptx/flow/block_order.hpp"
#include "emulator/ptx/flow/dominators.hpp"

namespace emulator::ptx {
namespace {

bool ends_function(const BasicBlock& block) {
    return block.ending == BlockEnd::leaves || block.ending == BlockEnd::stops ||
           block.ending == BlockEnd::may_leave || block.may_reach_end;
}

// nvcc lets all returns of a function share one block. Each branch to it counts as a return of its own.
bool is_only_return(const BasicBlock& block) {
    return block.end - block.first == 1 && block.ending == BlockEnd::leaves;
}

Graph forward_graph(const ControlFlow& flow) {
    Graph graph;
    for (const BasicBlock& block : flow.blocks) graph.push_back(block.successors);
    return graph;
}

// Blocks from which no path leads to a block that can be reached without them.
std::vector<bool> find_closed(const ControlFlow& flow, const Dominators& tree) {
    // The depth in the dominator tree down to which the paths from each block's subtree lead out of it.
    std::vector<std::uint32_t> lowest(flow.blocks.size(), no_node);
    std::vector<bool> is_closed(flow.blocks.size());
    for (std::size_t i = tree.order.size(); i-- > 0;) {
        const std::uint32_t block = tree.order[i];
        for (std::uint32_t next : flow.blocks[block].successors) {
            if (is_only_return(flow.blocks[next])) continue;
            const bool is_back = tree.dominates(next, block);
            const std::uint32_t depth = is_back ? tree.depth[next] : tree.depth[next] - 1;
            lowest[block] = std::min(lowest[block], depth);
        }
        is_closed[block] = lowest[block] == no_node || lowest[block] >= tree.depth[block];
        // Reverse postorder has all of a subtree behind its root.
        const std::uint32_t above = tree.immediate[block];
        if (above != no_node) lowest[above] = std::min(lowest[above], lowest[block]);
    }
    return is_closed;
}

// The edges without those into code from which lanes never come back. Where none would be left, those
// stay that do not end in a trap, or else all.
Graph without_early_ends(const ControlFlow& flow, const Dominators& tree) {
    const std::vector<bool> is_closed = find_closed(flow, tree);
    const Graph graph = forward_graph(flow);
    const Graph predecessors = reversed(graph);
    const auto is_early_end = [&](std::uint32_t from, std::uint32_t to) {
        const BasicBlock& block = flow.blocks[to];
        if (is_only_return(block)) return true;
        if (!is_closed[to] || tree.immediate[to] != from) return false;
        return std::all_of(predecessors[to].begin(), predecessors[to].end(), [&](auto other) {
            return other == from || tree.depth[other] == no_node || tree.dominates(to, other);
        });
    };
    Graph result(graph.size());
    for (std::uint32_t from = 0; from < graph.size(); ++from) {
        if (tree.depth[from] == no_node) continue;
        for (std::uint32_t to : graph[from]) {
            const bool stops = flow.blocks[to].ending == BlockEnd::stops;
            if (!stops && !is_early_end(from, to)) result[from].push_back(to);
        }
        if (!result[from].empty()) continue;
        for (std::uint32_t to : graph[from]) {
            if (flow.blocks[to].ending != BlockEnd::stops) result[from].push_back(to);
        }
        if (result[from].empty()) result[from] = graph[from];
    }
    return result;
}

// Blocks from which a path leads to one that ends the function.
std::vector<bool> find_ending(const Graph& graph, const std::vector<bool>& reaches_end) {
    const Graph predecessors = reversed(graph);
    std::vector<bool> is_ending = reaches_end;
    std::vector<std::uint32_t> pending;
    for (std::uint32_t block = 0; block < graph.size(); ++block) {
        if (is_ending[block]) pending.push_back(block);
    }
    while (!pending.empty()) {
        const std::uint32_t block = pending.back();
        pending.pop_back();
        for (const std::uint32_t other : predecessors[block]) {
            if (!is_ending[other]) pending.push_back(other);
            is_ending[other] = true;
        }
    }
    return is_ending;
}

// A block behind a loop that ends the function is no early end where no other path leads out of the loop: lanes
// break out of it and reconverge there (BSSY in front of the loop, BREAK inside), while lanes that return do not come.
Graph with_ways_out_of_loops(Graph kept, const ControlFlow& flow,
                             const std::vector<bool>& is_ending) {
    for (std::uint32_t block = 0; block < kept.size(); ++block) {
        if (kept[block].empty() || is_ending[block]) continue;
        for (const std::uint32_t to : flow.blocks[block].successors) {
            const bool is_gone = std::ranges::find(kept[block], to) == kept[block].end();
            const bool stops = flow.blocks[to].ending == BlockEnd::stops;
            if (is_gone && !stops && !is_only_return(flow.blocks[to])) kept[block].push_back(to);
        }
    }
    return kept;
}

// Post-dominators of a graph of blocks. Some blocks may never reach the end.
class PostDominators {
  public:
    PostDominators(Graph graph, const Dominators& tree, const std::vector<bool>& reaches_end)
        : graph_(std::move(graph)), blocks_(graph_.size()) {
        end_ = add_node();
        for (std::uint32_t block = 0; block < blocks_; ++block) {
            if (reaches_end[block]) graph_[block].push_back(end_);
        }
        predecessors_ = reversed(graph_);
        can_end_.resize(graph_.size());
        mark_can_end(end_);
        open_endless_loops(tree);
        for (std::uint32_t block : tree.order) {  // irreducible endless loops
            if (can_end_[block]) continue;
            graph_[block].push_back(end_);
            mark_can_end(block);
        }
        immediate_ = dominators(reversed(graph_), end_).immediate;
    }

    std::uint32_t of(std::uint32_t block) const {
        const std::uint32_t found = immediate_[block];
        if (found == no_node || found == end_) return exit_block;
        return found < blocks_ ? found : heads_[found - blocks_ - 1];
    }

  private:
    std::uint32_t add_node() {
        graph_.emplace_back();
        return static_cast<std::uint32_t>(graph_.size() - 1);
    }

    void mark_can_end(std::uint32_t from) {
        std::vector<std::uint32_t> pending{from};
        can_end_[from] = true;
        while (!pending.empty()) {
            const std::uint32_t node = pending.back();
            pending.pop_back();
            for (std::uint32_t other : predecessors_[node]) {
                if (can_end_[other]) continue;
                can_end_[other] = true;
                pending.push_back(other);
            }
        }
    }

    // An endless loop gets a node through which all paths back to its head lead, and from there a path
    // out. Outer loops first: theirs serve the inner ones.
    void open_endless_loops(const Dominators& tree) {
        std::vector<std::uint32_t> by_depth = tree.order;
        std::stable_sort(by_depth.begin(), by_depth.end(),
                         [&](auto a, auto b) { return tree.depth[a] < tree.depth[b]; });
        for (std::uint32_t head : by_depth) {
            if (can_end_[head]) continue;
            std::vector<std::uint32_t> latches;
            for (std::uint32_t other : predecessors_[head]) {
                if (other < blocks_ && tree.dominates(head, other)) latches.push_back(other);
            }
            if (latches.empty()) continue;
            const std::uint32_t node = add_node();
            heads_.push_back(head);
            graph_[node] = {head, end_};
            for (std::uint32_t latch : latches) {
                std::replace(graph_[latch].begin(), graph_[latch].end(), head, node);
            }
            for (std::uint32_t latch : latches) {
                if (can_end_[latch]) continue;
                mark_can_end(latch);
            }
        }
    }

    Graph graph_;
    std::size_t blocks_;
    std::uint32_t end_ = 0;
    Graph predecessors_;  // of the graph before nodes were added
    std::vector<bool> can_end_;
    std::vector<std::uint32_t> heads_;  // of the added nodes
    std::vector<std::uint32_t> immediate_;
};

}  // namespace

void find_reconvergence(ControlFlow& flow) {
    if (flow.blocks.empty()) return;
    const Graph graph = forward_graph(flow);
    const Dominators tree = dominators(graph, 0);
    std::vector<bool> reaches_end;
    reaches_end.reserve(flow.blocks.size());
    for (const BasicBlock& block : flow.blocks) reaches_end.push_back(ends_function(block));
    const PostDominators all(graph, tree, reaches_end);
    // Lanes that leave by a guard do not keep the others diverged either.
    for (std::size_t i = 0; i < flow.blocks.size(); ++i) {
        if (!flow.blocks[i].successors.empty()) reaches_end[i] = false;
    }
    const Graph kept = without_early_ends(flow, tree);
    const PostDominators of_those_left(kept, tree, reaches_end);
    const std::vector<bool> is_ending = find_ending(kept, reaches_end);
    const PostDominators behind_loops(with_ways_out_of_loops(kept, flow, is_ending), tree,
                                      reaches_end);
    const auto loop_exit = [&](std::uint32_t block) {
        std::size_t steps = 0;  // an endless loop's head stands behind itself
        while (block != exit_block && !is_ending[block]) {
            block = ++steps > flow.blocks.size() ? exit_block : behind_loops.of(block);
        }
        return block;
    };
    const std::vector<std::uint32_t> order = order_of_turns(graph, tree);
    for (std::uint32_t i = 0; i < flow.blocks.size(); ++i) {
        BasicBlock& block = flow.blocks[i];
        block.order = order[i];
        block.post_dominator = all.of(i);
        block.reconvergence = of_those_left.of(i);
        const std::uint32_t strict = block.post_dominator;
        // Every exit of the loop ends the function: lanes that leave it reconverge behind it.
        const bool has_early_end = kept[i].size() < block.successors.size();
        const bool leaves_loop = has_early_end && kept[i].size() == 1 && strict != exit_block &&
                                 block.reconvergence != exit_block &&
                                 tree.dominates(block.reconvergence, i);
        if (leaves_loop || block.reconvergence == exit_block) block.reconvergence = strict;
        if (is_ending[i] || kept[i].empty()) continue;
        block.loop_exit = loop_exit(i);
        if (block.loop_exit != exit_block && kept[i].size() == 1) block.reconvergence = exit_block;
    }
}

}  // namespace emulator::ptx
