// Findings of the hazard models as lines of text, once for each pair of places.
#pragma once

#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {

// Whether the instruction has been found to read uninitialised memory.
bool is_noted_uninitialised(const WarpContext& context, const MemoryDetail& detail);
void note_uninitialised(WarpContext& context, const MemoryDetail& detail, Address address,
                        int lane);
void note_global_races(WarpContext& context);

}  // namespace emulator::simt
