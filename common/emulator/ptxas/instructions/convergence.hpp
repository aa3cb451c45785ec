// The instructions by which threads of a warp that diverge at a branch go on together behind it: BSSY before the
// branch, BSYNC where its ways meet again (before Volta SSY and SYNC).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/ptxas/instructions/flow.hpp"

namespace timing {

struct Convergence {
    unsigned begins = 0;  // at the block's end, before its branch
    unsigned ends = 0;    // in the block where the ways meet
};

// By block; the first one is where the function begins. Where all threads of a warp branch alike, nothing is issued, nor
// where the ways meet only behind the function's end. `registers`: of the function, numbered from `first`.
std::vector<Convergence> convergence_of(std::span<const FlowBlock> blocks, Register first,
                                        std::size_t registers);

}  // namespace timing
