#include "emulator/ptx/flow/block_order.hpp"

#include <algorithm>
#include <numeric>

namespace emulator::ptx {

std::vector<std::uint32_t> order_of_turns(const Graph& graph, const Dominators& tree) {
    const Graph predecessors = reversed(graph);
    std::vector<std::uint32_t> sequence(graph.size());
    std::iota(sequence.begin(), sequence.end(), 0u);
    std::vector<std::uint32_t> highest(graph.size());  // of the blocks that dominate one
    for (const std::uint32_t block : tree.order) {
        const std::uint32_t above = tree.immediate[block];
        if (above == no_node) continue;
        highest[block] = std::max(above, highest[above]);
        if (highest[block] < block) continue;
        sequence.erase(std::ranges::find(sequence, block));
        const auto last = std::find_if(sequence.rbegin(), sequence.rend(), [&](auto other) {
            const auto& before = predecessors[block];
            return std::ranges::find(before, other) != before.end() &&
                   tree.depth[other] != no_node && !tree.dominates(block, other);
        });
        sequence.insert(last.base(), block);
    }
    std::vector<std::uint32_t> places(graph.size());
    for (std::uint32_t i = 0; i < sequence.size(); ++i) places[sequence[i]] = i;
    return places;
}

}  // namespace emulator::ptx
