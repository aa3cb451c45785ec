#include "emulator/simt/state/cost_model.hpp"

#include <array>
#include <bit>

#include "emulator/models/memory/coalescing.hpp"

namespace emulator::simt {

AccessCounters CostModel::cost(const WarpRequest& request) const {
    if (is_for_one_lane) {
        const std::uint32_t lane = request.active_mask & (0u - request.active_mask);
        return cost_as_written({request.addresses, lane, request.bytes_per_lane});
    }
    if (issued == nullptr) return cost_as_written(request);
    AccessCounters sum;
    for (const ptx::IssuedPiece& piece : *issued) {
        std::array<Address, warp_size> addresses;
        for (std::size_t lane = 0; lane < warp_size; ++lane) {
            addresses[lane] = request.addresses[lane] + static_cast<Address>(piece.offset);
        }
        sum.add(cost_as_written({addresses, request.active_mask, piece.bytes}));
    }
    return sum;
}

AccessCounters CostModel::cost_as_written(const WarpRequest& request) const {
    AccessCounters cost{.requests = 1};
    if (space == AccessSpace::shared) {
        const bool is_atomic = kind == AccessKind::atomic &&
                               (request.bytes_per_lane == 4 || bank_atomic == BankAtomic::spin);
        const BankPasses passes = is_atomic ? atomic_bank_passes(request, bank_atomic, *banks)
                                            : bank_passes(request, kind, *banks);
        cost.wavefronts = passes.wavefronts;
        cost.bank_conflicts = passes.conflicts;
        return cost;
    }
    if (space == AccessSpace::constant) return cost;
    const Transactions transactions = coalesce(request);
    cost.sectors = kind == AccessKind::atomic ? atomic_sectors(request) : transactions.sectors;
    cost.lines = transactions.lines;
    if (!counts_bytes) return cost;
    cost.distinct_bytes = transactions.distinct_bytes;
    cost.lane_bytes = transactions.lane_bytes;
    cost.moved_bytes = fetch_unit_bytes == line_bytes ? line_bytes * transactions.lines
                                                      : sector_bytes * transactions.sectors;
    return cost;
}

AccessCounters CostModel::scattered_cost(const SortedOffsets& offsets, std::uint32_t mask) const {
    const SortedOffsets::Distinct& distinct = offsets.distinct();
    AccessCounters cost{.requests = 1};
    cost.sectors = distinct.sectors;
    cost.lines = distinct.lines;
    if (!counts_bytes) return cost;
    const auto lanes = static_cast<std::uint32_t>(std::popcount(mask));
    cost.distinct_bytes = std::uint64_t{distinct.addresses} * bytes_per_lane;
    cost.lane_bytes = std::uint64_t{lanes} * bytes_per_lane;
    cost.moved_bytes =
        fetch_unit_bytes == line_bytes ? line_bytes * cost.lines : sector_bytes * cost.sectors;
    return cost;
}

}  // namespace emulator::simt
