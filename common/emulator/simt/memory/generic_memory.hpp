// Lanes of a generic access, by the space that their addresses lie in.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {

struct GenericLanes {
    std::array<Address, warp_size> addresses;
    std::uint32_t global = 0, shared = 0, local = 0;
};
GenericLanes split_by_space(Warp& warp, const MemoryDetail& detail);
// Offsets in a window; of lanes outside `mask` those of the first one inside.
void window_offsets(const GenericLanes& lanes, std::uint32_t mask, Address window,
                    LaneOffsets& offsets);

// Offsets in the block's shared memory of the context's lanes, checked. False: they are addresses, and some are in other blocks of the
// cluster.
bool locate_shared_lanes(WarpContext& context, const MemoryDetail& detail,
                         const GenericLanes& lanes, LaneOffsets& offsets);

}  // namespace emulator::simt
