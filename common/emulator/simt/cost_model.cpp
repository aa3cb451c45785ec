#include "emulator/simt/cost_model.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

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

// Batcher's bitonic network over four registers of eight keys.
constexpr unsigned width = 8;
using Eight = std::uint32_t __attribute__((vector_size(4 * width)));
using Registers = std::array<Eight, warp_size / width>;

// Of key i: whether it takes the lower one of itself and key i ^ stride.
template <unsigned run, unsigned stride>
constexpr bool takes_lower(unsigned i) {
    return ((i & stride) == 0) == ((i & run) == 0);
}

// Eight of two registers' keys, those of `second` numbered from `width` on: `from(i)` becomes key i.
template <auto from, std::size_t... i>
Eight pick(const Eight& first, const Eight& second, std::index_sequence<i...>) {
    return __builtin_shufflevector(first, second, from(i)...);
}
template <auto from>
Eight pick(const Eight& first, const Eight& second) {
    return pick<from>(first, second, std::make_index_sequence<width>());
}

template <unsigned stride>
constexpr auto partner_of = [](std::size_t i) { return i ^ stride; };

// From the lower keys, and the higher ones.
template <unsigned run, unsigned stride, bool is_up>
constexpr auto choice = [](std::size_t i) {
    const bool lower = run < width ? takes_lower<run, stride>(i) : ((i & stride) == 0) == is_up;
    return lower ? i : i + width;
};

template <unsigned run, unsigned stride>
void exchange(Registers& keys) {
    for (unsigned r = 0; r < keys.size(); ++r) {
        const Eight mine = keys[r];
        if constexpr (stride >= width) {
            const unsigned other = r ^ stride / width;
            if (other < r) continue;
            const Eight theirs = keys[other];
            const Eight low = mine < theirs ? mine : theirs, high = mine < theirs ? theirs : mine;
            const bool is_up = takes_lower<run, stride>(r * width);
            keys[r] = is_up ? low : high;
            keys[other] = is_up ? high : low;
        } else {
            const Eight theirs = pick<partner_of<stride>>(mine, mine);
            const Eight low = mine < theirs ? mine : theirs, high = mine < theirs ? theirs : mine;
            const bool is_up = run < width || takes_lower<run, stride>(r * width);
            keys[r] = is_up ? pick<choice<run, stride, true>>(low, high)
                            : pick<choice<run, stride, false>>(low, high);
        }
    }
    if constexpr (stride > 1) exchange<run, stride / 2>(keys);
}

Keys sorted(const Keys& keys) {
    Registers registers;
    static_assert(sizeof registers == sizeof keys);
    std::memcpy(registers.data(), keys.data(), sizeof keys);
    exchange<2, 1>(registers);
    exchange<4, 2>(registers);
    exchange<8, 4>(registers);
    exchange<16, 8>(registers);
    exchange<32, 16>(registers);
    Keys result;
    std::memcpy(result.data(), registers.data(), sizeof result);
    return result;
}

// How many of sorted keys differ in more than their low bits.
std::uint32_t count_distinct(const Keys& keys, int low_bits) {
    std::uint32_t distinct = 1;
    for (std::size_t i = 1; i < warp_size; ++i)
        distinct += (keys[i] ^ keys[i - 1]) >> low_bits != 0;
    return distinct;
}

}  // namespace

AccessCounters CostModel::scattered_cost(Address base, const Keys& from_base,
                                         std::uint32_t mask) const {
    // From the line's begin on: windows are shorter than 2^31 bytes.
    Keys offsets;
    const auto in_line = static_cast<std::uint32_t>(base % line_bytes);
    for (std::size_t lane = 0; lane < warp_size; ++lane) offsets[lane] = from_base[lane] + in_line;
    // Inactive lanes have the first active one's.
    const Keys in_order = sorted(offsets);
    AccessCounters cost{.requests = 1};
    cost.sectors = count_distinct(in_order, 5);
    cost.lines = count_distinct(in_order, 7);
    if (!counts_bytes) return cost;
    const auto lanes = static_cast<std::uint32_t>(std::popcount(mask));
    const std::uint32_t places = count_distinct(in_order, 0);
    cost.distinct_bytes = std::uint64_t{places} * bytes_per_lane;
    cost.lane_bytes = std::uint64_t{lanes} * bytes_per_lane;
    cost.moved_bytes =
        fetch_unit_bytes == line_bytes ? line_bytes * cost.lines : sector_bytes * cost.sectors;
    return cost;
}

}  // namespace emulator::simt
