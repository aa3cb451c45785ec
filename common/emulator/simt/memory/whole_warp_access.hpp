// The commonest accesses, without the detours that others need: whole warps, words of 4 or 8 bytes, either
// side by side or all lanes the same.
#pragma once

#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {

// A faster handler for the load or store that `detail` describes; null where there is none. It leaves
// whatever else comes along to execute_global or execute_shared.
Handler find_whole_warp_access(const MemoryDetail& detail, unsigned register_bytes, bool is_shared);

}  // namespace emulator::simt
