// What the hazard models are fed with, where a program asks for the checks.
#pragma once

#include "emulator/simt/memory.hpp"

namespace emulator::simt {

// Global memory: reads of bytes that nothing has written.
void check_initialised(WarpContext& context, const MemoryDetail& detail, const Located& located);
void check_initialised(WarpContext& context, const MemoryDetail& detail, Address address, int lane);
// Shared memory: races and reads of uninitialised words.
void check_shared_access(WarpContext& context, const MemoryDetail& detail,
                         const LaneOffsets& offsets);
// All threads that take part have reached the barrier: some others may not.
void check_barrier(Execution& execution, BlockState& block, unsigned number);
// Collects what was found in a block.
void collect_hazards(Execution& execution, const BlockState& block);

}  // namespace emulator::simt
