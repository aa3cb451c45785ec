// The iterative algorithm of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
#include "emulator/ptx/flow/dominators.hpp"

#include <algorithm>
#include <utility>

namespace emulator::ptx {
namespace {

std::vector<std::uint32_t> reverse_postorder(const Graph& graph, std::uint32_t root) {
    std::vector<std::uint32_t> order;
    std::vector<bool> is_seen(graph.size());
    std::vector<std::pair<std::uint32_t, std::size_t>> path{{root, 0}};
    is_seen[root] = true;
    while (!path.empty()) {
        auto& [node, next] = path.back();
        if (next == graph[node].size()) {
            order.push_back(node);
            path.pop_back();
            continue;
        }
        const std::uint32_t successor = graph[node][next++];
        if (is_seen[successor]) continue;
        is_seen[successor] = true;
        path.emplace_back(successor, 0);
    }
    std::reverse(order.begin(), order.end());
    return order;
}

}  // namespace

Graph reversed(const Graph& graph) {
    Graph result(graph.size());
    for (std::uint32_t node = 0; node < graph.size(); ++node) {
        for (std::uint32_t successor : graph[node]) result[successor].push_back(node);
    }
    return result;
}

Dominators dominators(const Graph& graph, std::uint32_t root) {
    Dominators result;
    result.order = reverse_postorder(graph, root);
    const Graph predecessors = reversed(graph);
    // By position in the order, where a dominator stands before what it dominates.
    std::vector<std::uint32_t> position(graph.size(), no_node), above(result.order.size(), no_node);
    for (std::uint32_t i = 0; i < result.order.size(); ++i) position[result.order[i]] = i;
    above[0] = 0;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (std::uint32_t i = 1; i < result.order.size(); ++i) {
            std::uint32_t common = no_node;
            for (std::uint32_t predecessor : predecessors[result.order[i]]) {
                std::uint32_t other = position[predecessor];
                if (other == no_node || above[other] == no_node) continue;
                if (common == no_node) common = other;
                while (common != other) {
                    while (other > common) other = above[other];
                    while (common > other) common = above[common];
                }
            }
            has_changed |= above[i] != common;
            above[i] = common;
        }
    }
    result.immediate.assign(graph.size(), no_node);
    result.depth.assign(graph.size(), no_node);
    result.depth[root] = 0;
    for (std::uint32_t i = 1; i < result.order.size(); ++i) {
        const std::uint32_t node = result.order[i];
        result.immediate[node] = result.order[above[i]];
        result.depth[node] = result.depth[result.immediate[node]] + 1;
    }
    return result;
}

bool Dominators::dominates(std::uint32_t above, std::uint32_t below) const {
    if (depth[above] == no_node || depth[below] == no_node) return false;
    while (depth[below] > depth[above]) below = immediate[below];
    return above == below;
}

}  // namespace emulator::ptx
