// Counts of a whole launch from some of its blocks.
#pragma once

#include <optional>

#include "emulator/simt/record/counts.hpp"
#include "emulator/simt/record/report.hpp"

namespace emulator::simt {

// Nothing where all blocks have to be executed: few of them, or such that may wait for each other.
//
// Blocks at the grid's edges often do less than those between them, so each dimension is split into its
// first index, its last one and the rest; of each combination some blocks are executed, and stand for
// the others. Where they are all alike, the counts are taken to be exact; else LaunchRecord::sampling_error
// tells the standard error. What blocks share in the caches is not seen, but for a launch whose time is asked for:
// then the blocks at the grid's beginning are executed, too, and the later half of them tells what each block adds that
// follows: LaunchRecord::memory and what reaches the L2 and DRAM. Some blocks are then executed up to four times, also those that
// change what they read.
std::optional<LaunchRecord> sample_grid(const Launch& launch);

}  // namespace emulator::simt
