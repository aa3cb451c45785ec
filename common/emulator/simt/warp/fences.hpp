// Small operations of a warp on itself: fences, the mask of active lanes, cache policies.
#pragma once

#include "emulator/simt/state/operation.hpp"

namespace emulator::simt {

void execute_fence(Warp& warp, const Operation& operation);  // of GPU scope or wider
void execute_active_mask(Warp& warp, const Operation& operation);
void execute_cache_policy(Warp& warp, const Operation& operation);  // createpolicy

}  // namespace emulator::simt
