// Loads and stores of global memory, and through generic addresses.
#include <algorithm>
#include <bit>

#include "emulator/memory/device_memory.hpp"
#include "emulator/models/memory/memory_model.hpp"
#include "emulator/simt/record/hazard_checks.hpp"
#include "emulator/simt/state/launch.hpp"
#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {
namespace {

void queue_lines(WarpContext& context, const MemoryDetail& detail, RequestCounter& requests,
                 std::span<const LineSectors> lines) {
    context.memory->queue(context.warp->number, detail.kind, detail.policy.path, lines,
                          requests.l1_hits());
    --context.budget;
}

void note_partial(WarpContext& context, const MemoryDetail& detail, const WarpRequest& request) {
    if (detail.kind != AccessKind::store) return;
    for (const PartialSector& part : partial_sectors_of(request))
        context.memory->note_partial(part);
}

// Lines that lie side by side.
void queue_span(WarpContext& context, const MemoryDetail& detail, RequestCounter& requests,
                Address begin, Address end) {
    std::array<LineSectors, 2 * warp_size> lines;
    std::size_t count = 0;
    for (Address line = begin / line_bytes * line_bytes; line < end; line += line_bytes) {
        const Address from = line < begin ? (begin - line) / sector_bytes : 0;
        const Address to =
            end - line >= line_bytes ? 4 : (end - line + sector_bytes - 1) / sector_bytes;
        lines[count++] = LineSectors(line, (0xfu << from) & (0xfu >> (4 - to)));
    }
    queue_lines(context, detail, requests, {lines.data(), count});
    if (detail.kind != AccessKind::store || (begin % sector_bytes == 0 && end % sector_bytes == 0))
        return;
    for (const PartialSector& part : partial_sectors_of(begin, end))
        context.memory->note_partial(part);
}

// A warp that executes has an active lane.
std::size_t first_lane(std::uint32_t mask) {
    if (mask == 0) __builtin_unreachable();
    return static_cast<std::size_t>(std::countr_zero(mask));
}

WarpRequest request_of(std::array<Address, warp_size>& addresses, Address base,
                       const LaneOffsets& offsets, std::uint32_t mask, std::uint32_t bytes) {
    for (std::size_t lane = 0; lane < warp_size; ++lane) addresses[lane] = base + offsets[lane];
    return {addresses, mask, bytes};
}

void queue_pattern(WarpContext& context, const MemoryDetail& detail, RequestCounter& requests,
                   Pattern& pattern, Address first) {
    if (pattern.kind == PatternKind::contiguous) {
        return queue_span(context, detail, requests, first, first + detail.bytes * warp_size);
    }
    if (pattern.kind == PatternKind::uniform) {
        return queue_span(context, detail, requests, first, first + detail.bytes);
    }
    const Address in_line = first % line_bytes;
    const Address line = first - in_line;
    auto& known = pattern.lines[in_line];
    if (!known) {
        std::array<Address, warp_size> addresses;
        for (std::size_t lane = 0; lane < warp_size; ++lane) {
            addresses[lane] = first + static_cast<Address>(std::int64_t{
                                          static_cast<std::int32_t>(pattern.relative[lane])});
        }
        known = std::make_unique<LineList>(lines_of({addresses, pattern.mask, detail.bytes}));
        for (LineSectors& touched : std::span(known->line.data(), known->count)) {
            touched = touched.shifted(Address{0} - line);
        }
        if (detail.kind == AccessKind::store) {
            auto& parts = pattern.parts[in_line];
            parts = std::make_unique<std::vector<PartialSector>>(
                partial_sectors_of({addresses, pattern.mask, detail.bytes}));
            for (PartialSector& part : *parts) part.sector -= line;
        }
    }
    std::array<LineSectors, 2 * warp_size> lines;
    for (std::size_t i = 0; i < known->count; ++i) lines[i] = known->line[i].shifted(line);
    queue_lines(context, detail, requests, {lines.data(), known->count});
    if (detail.kind != AccessKind::store) return;
    for (const PartialSector& part : *pattern.parts[in_line])
        context.memory->note_partial({part.sector + line, part.bytes});
}

void count_addresses(WarpContext& context, const MemoryDetail& detail, RequestCounter& requests,
                     const WarpRequest& request) {
    requests.add(detail.cost.cost(request));
    if (context.memory != nullptr && detail.cost.is_issued()) {
        queue_lines(context, detail, requests, lines_of(request).span());
        note_partial(context, detail, request);
    }
}

std::uint32_t distinct(LaneOffsets offsets) {
    std::ranges::sort(offsets);
    return static_cast<std::uint32_t>(std::ranges::unique(offsets).begin() - offsets.begin());
}

void move_lane_by_lane(WarpContext& context, const MemoryDetail& detail, SiteState& site) {
    const LaneOffsets zeros{};
    access_lane_by_lane(context, detail, site, [&](std::byte* address, std::uint32_t lane) {
        move(context, detail, PatternKind::other, address, zeros, lane);
    });
}

}  // namespace

std::array<Address, warp_size> count_lane_by_lane(WarpContext& context, const MemoryDetail& detail,
                                                  SiteState& site) {
    std::array<Address, warp_size> addresses;
    lane_addresses(context, detail, addresses);
    std::uint32_t beyond = 0;
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const Address address = addresses[static_cast<std::size_t>(lane)];
        if (goes_beyond(context, detail, address, lane)) {
            beyond |= 1u << lane;
            continue;
        }
        check_global(context, detail, address, lane);
        if (context.hazards != nullptr) check_global_access(context, detail, address, lane);
    }
    if (detail.cost.space == AccessSpace::global) {
        count_addresses(context, detail, site.requests, {addresses, context.mask, detail.bytes});
    }
    // Elements beyond read as zero; writes there are lost.
    if (beyond != 0) context.execution->elsewhere = {};
    for (; beyond != 0; beyond &= beyond - 1)
        addresses[static_cast<std::size_t>(std::countr_zero(beyond))] =
            reinterpret_cast<Address>(context.execution->elsewhere.data());
    return addresses;
}

void queue_whole_warp(WarpContext& context, const MemoryDetail& detail, SiteState& site,
                      Pattern& pattern, Address first) {
    queue_pattern(context, detail, site.requests, pattern, first);
}

PatternKind count_global(WarpContext& context, const MemoryDetail& detail, SiteState& site,
                         const Located& located) {
    const Address base = site.low;
    const Address first = base + located.offsets[first_lane(context.mask)];
    Pattern* const pattern = site.requests.find(located.offsets, context.mask, detail.bytes);
    if (pattern == nullptr) [[unlikely]] {
        // Lines that are far away arrive while the request is counted.
        for (const std::uint32_t offset : located.offsets)
            __builtin_prefetch(located.base + offset);
        std::array<Address, warp_size> addresses;
        const WarpRequest request =
            request_of(addresses, base, located.offsets, context.mask, detail.bytes);
        if (detail.bytes > sector_bytes || !detail.cost.has_scattered_cost()) {
            count_addresses(context, detail, site.requests, request);
            return PatternKind::other;
        }
        const SortedOffsets sorted(base, located.offsets);
        site.requests.add(detail.cost.scattered_cost(sorted, context.mask));
        if (context.memory != nullptr) {
            std::array<LineSectors, warp_size> lines;
            queue_lines(context, detail, site.requests,
                        {lines.data(), sorted.write_lines(lines.data())});
            note_partial(context, detail, request);
        }
        return PatternKind::other;
    }
    site.note(pattern);
    ++pattern->seen[first % line_bytes];
    if (context.memory != nullptr && detail.cost.is_issued()) {
        queue_pattern(context, detail, site.requests, *pattern, first);
    }
    return pattern->kind;
}

void move(WarpContext& context, const MemoryDetail& detail, PatternKind kind, std::byte* base,
          const LaneOffsets& offsets, std::uint32_t mask) {
    const Mover& mover = *detail.mover;
    const bool is_load = detail.kind == AccessKind::load;
    context.execution->memory_changes += !is_load;
    for (std::uint32_t i = 0; i < detail.elements; ++i) {
        if (detail.registers[i] == no_register) continue;
        std::byte* const lanes = context.registers + detail.registers[i];
        std::byte* const place = base + i * detail.element_bytes;
        if (kind == PatternKind::contiguous) {
            mover.contiguous(lanes, place + offsets[0], detail.bytes);
        } else if (kind == PatternKind::uniform && is_load) {
            mover.uniform(lanes, place + offsets[static_cast<std::size_t>(std::countr_zero(mask))],
                          mask);
        } else {
            mover.scattered(lanes, place, offsets.data(), mask);
        }
    }
}

void execute_global(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const MemoryDetail*>(operation.detail);
    SiteState& site = context.sites[detail.site];
    context.execution->polls += detail.is_poll;
    Located located;
    if (!locate_global(context, detail, site, located)) [[unlikely]] {
        return move_lane_by_lane(context, detail, site);
    }
    const PatternKind kind = count_global(context, detail, site, located);
    if (context.hazards != nullptr) [[unlikely]]
        check_global_access(context, detail, located, kind);
    move(context, detail, kind, located.base, located.offsets, context.mask);
}

// Constant memory lies among the allocations; its requests are served by a cache of their own.
void execute_constant(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const MemoryDetail*>(operation.detail);
    SiteState& site = context.sites[detail.site];
    Located located;
    if (!locate_global(context, detail, site, located)) [[unlikely]] {
        return move_lane_by_lane(context, detail, site);
    }
    bool uniform = true;
    for (const std::uint32_t offset : located.offsets) uniform &= offset == located.offsets[0];
    site.requests.add({.requests = 1, .wavefronts = uniform ? 1 : distinct(located.offsets)});
    move(context, detail, uniform ? PatternKind::uniform : PatternKind::other, located.base,
         located.offsets, context.mask);
}

}  // namespace emulator::simt
