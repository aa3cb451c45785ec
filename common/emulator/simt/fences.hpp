// Small operations of a warp on itself: fences, the mask of active lanes.
#pragma once

#include "emulator/simt/operation.hpp"

namespace emulator::simt {

void execute_fence(Warp& warp, const Operation& operation);  // of GPU scope or wider
void execute_active_mask(Warp& warp, const Operation& operation);

}  // namespace emulator::simt
