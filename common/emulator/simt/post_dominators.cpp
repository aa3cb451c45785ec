// Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed graph.
#include "emulator/simt/post_dominators.hpp"

#include <utility>

namespace emulator::simt {
namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;

// Nodes from which the end can be reached, the end first.
std::vector<std::uint32_t> reverse_post_order(const Graph& predecessors, std::uint32_t end) {
    std::vector<std::uint32_t> post_order;
    std::vector<bool> seen(predecessors.size());
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{end, 0}};
    seen[end] = true;
    while (!stack.empty()) {
        auto& [node, next] = stack.back();
        if (next == predecessors[node].size()) {
            post_order.push_back(node);
            stack.pop_back();
            continue;
        }
        const std::uint32_t predecessor = predecessors[node][next++];
        if (seen[predecessor]) continue;
        seen[predecessor] = true;
        stack.emplace_back(predecessor, 0);
    }
    return {post_order.rbegin(), post_order.rend()};
}

}  // namespace

std::vector<std::uint32_t> immediate_post_dominators(const Graph& successors) {
    const auto end = static_cast<std::uint32_t>(successors.size());
    Graph predecessors(successors.size() + 1);
    for (std::uint32_t node = 0; node < end; ++node) {
        for (const std::uint32_t successor : successors[node]) predecessors[successor].push_back(node);
    }
    const std::vector<std::uint32_t> order = reverse_post_order(predecessors, end);
    std::vector<std::uint32_t> rank(successors.size() + 1, no_post_dominator);
    for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
    std::vector<std::uint32_t> dominator(successors.size() + 1, no_post_dominator);
    dominator[end] = end;
    const auto meet = [&](std::uint32_t a, std::uint32_t b) {
        while (a != b) {
            while (rank[a] > rank[b]) a = dominator[a];
            while (rank[b] > rank[a]) b = dominator[b];
        }
        return a;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::uint32_t node : order) {
            if (node == end) continue;
            std::uint32_t found = no_post_dominator;
            for (const std::uint32_t successor : successors[node]) {
                if (dominator[successor] == no_post_dominator) continue;
                found = found == no_post_dominator ? successor : meet(found, successor);
            }
            changed |= dominator[node] != found;
            dominator[node] = found;
        }
    }
    dominator.pop_back();
    for (std::uint32_t& found : dominator) {
        if (found == end) found = no_post_dominator;
    }
    return dominator;
}

}  // namespace emulator::simt
