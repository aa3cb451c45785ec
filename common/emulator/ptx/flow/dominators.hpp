// Dominators of a directed graph.
#pragma once

#include <cstdint>
#include <vector>

namespace emulator::ptx {

constexpr std::uint32_t no_node = 0xffffffff;

// Successors of each node.
using Graph = std::vector<std::vector<std::uint32_t>>;

Graph reversed(const Graph& graph);

struct Dominators {
    // The immediate dominator of each node; no_node for the root and for nodes that the root does not reach.
    std::vector<std::uint32_t> immediate;
    std::vector<std::uint32_t> depth;  // in the dominator tree: 0 at the root; no_node: not reached
    std::vector<std::uint32_t> order;  // nodes that the root reaches, in reverse postorder

    bool dominates(std::uint32_t above, std::uint32_t below) const;  // reflexive
};

// Post-dominators: those of the reversed graph from its exit.
Dominators dominators(const Graph& graph, std::uint32_t root);

}  // namespace emulator::ptx
