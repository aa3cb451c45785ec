// What one request of a warp costs, by the rules of its space.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/models/access_counters.hpp"
#include "emulator/models/shared_banks.hpp"
#include "emulator/models/warp_request.hpp"
#include "emulator/simt/gpu.hpp"

namespace emulator::simt {

struct CostModel {
    AccessSpace space{};
    AccessKind kind{};
    std::uint32_t bytes_per_lane = 0;
    std::uint32_t fetch_unit_bytes = 32;
    BankLayout banks;
    // cp.async: the GPU's counters of bytes, and so of efficiency, leave it out.
    bool counts_bytes = true;
    AccessCounters cost(const WarpRequest& request) const;
    // The same of aligned addresses in global memory, given as offsets from `base` (a multiple of 32), without
    // sorting them: for patterns that do not come again.
    AccessCounters scattered_cost(Address base, const std::array<std::uint32_t, warp_size>& offsets,
                                  std::uint32_t mask) const;
};

}  // namespace emulator::simt
