// Loads and stores through generic addresses: each lane may mean global, shared or local memory.
#include "emulator/simt/memory/generic_memory.hpp"

#include <bit>

#include "emulator/simt/record/hazard_checks.hpp"
#include "emulator/simt/state/cluster.hpp"
#include "emulator/simt/state/launch.hpp"

namespace emulator::simt {

GenericLanes split_by_space(Warp& warp, const MemoryDetail& detail) {
    GenericLanes lanes;
    lane_addresses(warp, detail, lanes.addresses);
    for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
        const Address address = lanes.addresses[lane];
        const std::uint32_t bit = 1u << lane;
        if (address - shared_window < window_bytes) {
            lanes.shared |= bit;
        } else if (address - local_window < window_bytes) {
            lanes.local |= bit;
        } else {
            lanes.global |= bit;
        }
    }
    return lanes;
}

void window_offsets(const GenericLanes& lanes, std::uint32_t mask, Address window,
                    LaneOffsets& offsets) {
    const auto first = static_cast<std::size_t>(std::countr_zero(mask));
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
        const std::size_t from = (mask >> lane & 1) != 0 ? lane : first;
        offsets[lane] = static_cast<std::uint32_t>(lanes.addresses[from] - window);
    }
}

bool locate_shared_lanes(WarpContext& context, const MemoryDetail& detail,
                         const GenericLanes& lanes, LaneOffsets& offsets) {
    window_offsets(lanes, context.mask, shared_window, offsets);
    if (reaches_other_blocks(context, offsets)) return false;
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        check_shared(context, detail, offsets[static_cast<std::size_t>(lane)], lane);
    }
    return true;
}

namespace {

bool is_shared_or_local(Address address) {
    return address - shared_window < window_bytes || address - local_window < window_bytes;
}

void access_shared_lanes(WarpContext& context, const MemoryDetail& detail, SiteState& site,
                         const GenericLanes& lanes) {
    LaneOffsets offsets;
    if (!locate_shared_lanes(context, detail, lanes, offsets))
        return access_cluster(context, detail, offsets);
    const PatternKind kind = count_shared(context, detail, site.other_spaces().shared, offsets);
    if (context.hazards != nullptr) check_shared_access(context, detail, offsets);
    move(context, detail, kind, context.shared, offsets, context.mask);
}

// The profiler's count of bytes, and so of the efficiency, includes lanes in shared and local memory, by their generic
// addresses: one and the same offset of the lanes once. Found in counts of an H200: four launches with loads of local
// memory and one with stores to shared memory are equal. Stores to local memory are not confirmed: the one launch that
// has them, parse_expressions, counts fewer bytes (189.5 %, here 597 %), but its recursion differs, too.
void count_bytes_elsewhere(const MemoryDetail& detail, SiteState& site, const GenericLanes& lanes) {
    const std::uint32_t mask = lanes.shared | lanes.local;
    if (!detail.counts_generic_bytes || mask == 0) return;
    const AccessCounters cost = detail.cost.cost({lanes.addresses, mask, detail.bytes});
    site.requests.add({.distinct_bytes = cost.distinct_bytes});
}

}  // namespace

void execute_generic(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const MemoryDetail*>(operation.detail);
    const Address first = lane_address(warp, detail, std::countr_zero(warp.mask));
    const std::uint32_t mask = warp.mask;
    if (!is_shared_or_local(first)) {
        SiteState& site = context.sites[detail.site];
        Located located;
        if (locate_global(context, detail, site, located)) return execute_global(warp, operation);
    }
    const GenericLanes lanes = split_by_space(warp, detail);
    SiteState& site = context.sites[detail.site];
    count_bytes_elsewhere(detail, site, lanes);
    warp.mask = lanes.shared;
    if (warp.mask != 0) access_shared_lanes(context, detail, site, lanes);
    warp.mask = lanes.local;
    if (warp.mask != 0) {
        LaneOffsets offsets;
        window_offsets(lanes, lanes.local, local_window, offsets);
        access_local(context, detail, site.other_spaces().local, offsets, false);
    }
    warp.mask = lanes.global;
    if (warp.mask != 0) execute_global(warp, operation);
    warp.mask = mask;
}

}  // namespace emulator::simt
