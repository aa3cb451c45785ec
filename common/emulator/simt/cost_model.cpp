#include "emulator/simt/cost_model.hpp"

#include <array>
#include <bit>

#include "emulator/models/coalescing.hpp"

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
        const bool is_atomic = kind == AccessKind::atomic && request.bytes_per_lane == 4;
        const BankPasses passes = is_atomic ? atomic_bank_passes(request, bank_atomic, banks)
                                            : bank_passes(request, kind, banks);
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

namespace {

using Keys = std::array<std::uint32_t, warp_size>;

constexpr std::uint32_t table_bits = 12;
struct Table {
    std::array<std::uint8_t, 1u << table_bits> lane;
};

std::size_t lowest(std::uint32_t lanes) {
    return static_cast<std::size_t>(std::countr_zero(lanes));
}

// How many of the keys differ. Each lane leaves its number where its key's hash points: of equal keys one
// remains. Keys that differ and meet in one place are found by a second look; then another hash is used.
std::uint32_t count_distinct(const Keys& keys, std::uint32_t mask, Table& table) {
    for (std::uint32_t multiplier = 0x9e3779b1u;; multiplier += 0x3c6ef372u) {
        Keys places;
        for (std::size_t lane = 0; lane < warp_size; ++lane) {
            places[lane] = (keys[lane] * multiplier) >> (32 - table_bits);
        }
        std::uint32_t distinct = 0, met = 0;
        const auto leave = [&](std::size_t lane) {
            table.lane[places[lane]] = static_cast<std::uint8_t>(lane);
        };
        const auto look = [&](std::size_t lane) {
            const std::uint8_t winner = table.lane[places[lane]];
            distinct += winner == lane ? 1 : 0;
            met |= keys[winner] ^ keys[lane];
        };
        if (mask == 0xffffffffu) {
            for (std::size_t lane = 0; lane < warp_size; ++lane) leave(lane);
            for (std::size_t lane = 0; lane < warp_size; ++lane) look(lane);
        } else {
            for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) leave(lowest(rest));
            for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) look(lowest(rest));
        }
        if (met == 0) return distinct;
    }
}

Keys shifted(const Keys& keys, int bits) {
    Keys result;
    for (std::size_t lane = 0; lane < warp_size; ++lane) result[lane] = keys[lane] >> bits;
    return result;
}

}  // namespace

AccessCounters CostModel::scattered_cost(Address base, const Keys& from_base,
                                         std::uint32_t mask) const {
    // From the line's begin on: windows are shorter than 2^31 bytes.
    Keys offsets;
    const auto in_line = static_cast<std::uint32_t>(base % line_bytes);
    for (std::size_t lane = 0; lane < warp_size; ++lane) offsets[lane] = from_base[lane] + in_line;
    static thread_local Table table;
    const auto lanes = static_cast<std::uint32_t>(std::popcount(mask));
    AccessCounters cost{.requests = 1};
    cost.sectors = count_distinct(shifted(offsets, 5), mask, table);
    cost.lines = count_distinct(shifted(offsets, 7), mask, table);
    if (!counts_bytes) return cost;
    if (!counts_bytes) return cost;
    // Lanes in sectors of their own have addresses of their own.
    const std::uint32_t places =
        cost.sectors == lanes ? lanes : count_distinct(offsets, mask, table);
    cost.distinct_bytes = std::uint64_t{places} * bytes_per_lane;
    cost.lane_bytes = std::uint64_t{lanes} * bytes_per_lane;
    cost.moved_bytes =
        fetch_unit_bytes == line_bytes ? line_bytes * cost.lines : sector_bytes * cost.sectors;
    return cost;
}

}  // namespace emulator::simt
