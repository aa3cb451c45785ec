// Stores to shared memory that may come behind loads from it with no barrier of the block between. A warp that has left
// a barrier gets to its stores before slower ones have loaded: there the warps of a block wait for each other, because
// on a GPU they advance together.
#pragma once

#include <vector>

#include "emulator/ptx/flow/control_flow.hpp"
#include "emulator/ptx/parse/module.hpp"

namespace emulator::ptx {

// By instruction: the first such store or atomic on a path without another one since the barrier.
std::vector<bool> stores_behind_loads(const Function& function, const ControlFlow& flow);

}  // namespace emulator::ptx
