// Findings of the hazard models as lines of text, once for each pair of places.
#pragma once

#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {

// Whether the instruction has been found to read uninitialised memory.
bool is_noted_uninitialised(const WarpContext& context, const MemoryDetail& detail);
void note_uninitialised(WarpContext& context, const MemoryDetail& detail, Address address,
                        int lane);
void note_global_races(WarpContext& context);
// All threads that take part have reached the barrier: some others may not.
void check_barrier(Execution& execution, BlockState& block, unsigned number);
// A warp operation, with the lanes that take part.
void check_members(WarpContext& context, const BasicBlock& block, std::uint32_t participants,
                   std::uint32_t absent);
// Collects what was found in a block.
void collect_hazards(Execution& execution, const BlockState& block);
// The access goes beyond its allocation, and the launch goes on.
void note_out_of_bounds(WarpContext& context, const MemoryDetail& detail, int lane,
                        const std::string& what);

}  // namespace emulator::simt
