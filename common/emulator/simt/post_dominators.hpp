// Where lanes that part meet again.
#pragma once

#include <cstdint>
#include <vector>

namespace emulator::simt {

// The immediate post-dominator of each node of a graph, given its successors; nodes.size() stands for the
// end. no_post_dominator: the end, or a node from which the end cannot be reached.
constexpr std::uint32_t no_post_dominator = 0xffffffffu;
std::vector<std::uint32_t> immediate_post_dominators(
    const std::vector<std::vector<std::uint32_t>>& successors);

}  // namespace emulator::simt
