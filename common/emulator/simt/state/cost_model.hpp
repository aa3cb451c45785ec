// The cost of one request of a warp, by the rules of its space.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emulator/models/memory/access_counters.hpp"
#include "emulator/models/shared_banks.hpp"
#include "emulator/models/warp_request.hpp"
#include "emulator/ptxas/accesses/issued_accesses.hpp"
#include "emulator/simt/state/launch_record.hpp"
#include "emulator/simt/state/sorted_offsets.hpp"

namespace emulator::simt {

struct CostModel {
    AccessSpace space{};
    AccessKind kind{};
    std::uint32_t bytes_per_lane = 0;
    std::uint32_t fetch_unit_bytes = 32;
    const BankLayout* banks = nullptr;  // of the launch that runs
    // cp.async: the GPU's counters of bytes, and so of efficiency, leave it out.
    bool counts_bytes = true;
    // The access that ptxas issues in place of the one as written; null: the same.
    const std::vector<ptx::IssuedPiece>* issued = nullptr;
    bool is_for_one_lane = false;  // of an atomic operation
    BankAtomic bank_atomic{};

    bool is_issued() const { return issued == nullptr || !issued->empty(); }
    AccessCounters cost(const WarpRequest& request) const;
    // The same of aligned accesses to global memory, for patterns of loads and stores as written that do not come again.
    bool has_scattered_cost() const { return issued == nullptr && kind != AccessKind::atomic; }
    AccessCounters scattered_cost(const SortedOffsets& offsets, std::uint32_t mask) const;

  private:
    AccessCounters cost_as_written(const WarpRequest& request) const;
};

}  // namespace emulator::simt
