// What one shared-memory access of a warp costs: passes through the banks.
#pragma once

#include <cstdint>

#include "emulator/warp_request.hpp"

namespace emulator {

// 32 banks of 4 bytes on every generation; Kepler can be set to 8 bytes.
struct BankLayout {
    std::uint32_t count = 32;
    std::uint32_t width_bytes = 4;
};

// Passes ("wavefronts") that the access takes. In one pass each bank serves one word, to any number
// of lanes (broadcast, multicast): a warp takes as many passes as the most distinct words that one
// bank has to serve. An access wider than a bank goes in groups of lanes, each of which could fill
// all banks once (8 bytes: half warps; 16 bytes: quarter warps), and the groups' passes add up. A
// group without an active lane takes none.
std::uint32_t wavefronts(const WarpRequest& request, BankLayout banks);

// The same without conflicts: one pass for each group with an active lane.
std::uint32_t ideal_wavefronts(const WarpRequest& request, BankLayout banks);

}  // namespace emulator
