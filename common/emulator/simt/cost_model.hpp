// What one request of a warp costs, by the rules of its space.
#pragma once

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
    AccessCounters cost(const WarpRequest& request) const;
};

}  // namespace emulator::simt
