// Post-dominators of basic blocks, and the points at which diverged lanes reconverge.
#pragma once

#include "emulator/ptx/flow/basic_blocks.hpp"

namespace emulator::ptx {

// Fills in post_dominator and reconvergence.
void find_reconvergence(ControlFlow& flow);

}  // namespace emulator::ptx
