// The order in which diverged lanes take their turns.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/ptx/flow/dominators.hpp"

namespace emulator::ptx {

// The place of each block. The order is the text's, but for blocks that stand in front of what leads to them, such as
// the end of a loop that is entered in its middle: they follow the last block that leads to them.
std::vector<std::uint32_t> order_of_turns(const Graph& graph, const Dominators& tree);

}  // namespace emulator::ptx
