#include "emulator/simt/memory/asynchronous_copy.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "emulator/memory/device_memory.hpp"
#include "emulator/models/memory/memory_model.hpp"
#include "emulator/simt/memory/mbarrier.hpp"
#include "emulator/simt/record/hazard_checks.hpp"
#include "emulator/simt/record/trace_recorder.hpp"
#include "emulator/simt/state/launch.hpp"

namespace emulator::simt {
namespace {

// Bytes that each lane reads.
void bytes_to_read(WarpContext& context, const CopyDetail& detail, LaneOffsets& bytes) {
    const std::uint32_t ignored =
        detail.ignore == no_register
            ? 0
            : context.predicate(detail.ignore) ^ (detail.ignore_negated ? 0xffffffffu : 0);
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
        const std::uint32_t asked = detail.read_bytes == no_register
                                        ? detail.from.bytes
                                        : context.lanes<std::uint32_t>(detail.read_bytes)[lane];
        bytes[lane] = ignored >> lane & 1 ? 0 : std::min(asked, detail.from.bytes);
    }
}

// Finds, checks and counts the global side for the lanes in the context's mask: their addresses.
void access_global(WarpContext& context, const CopyDetail& detail, const LaneOffsets& bytes,
                   std::array<Address, warp_size>& addresses) {
    const MemoryDetail& from = detail.from;
    SiteState& site = context.sites[from.site];
    Located located;
    if (locate_global(context, from, site, located)) {
        const PatternKind kind = count_global(context, from, site, located);
        if (context.hazards != nullptr) check_global_access(context, from, located, kind);
        for (std::size_t lane = 0; lane < warp_size; ++lane) {
            addresses[lane] = site.low + located.offsets[lane];
        }
        return;
    }
    lane_addresses(context, from, addresses);
    // A lane may read less than its piece: the rest may lie outside.
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto at = static_cast<std::size_t>(lane);
        MemoryDetail piece = from;
        piece.bytes = std::bit_ceil(bytes[at]);
        if (bytes[at] != piece.bytes) piece.bytes = 1;
        if (goes_beyond(context, piece, addresses[at], lane)) {
            context.execution->elsewhere = {};
            addresses[at] = reinterpret_cast<Address>(context.execution->elsewhere.data());
            continue;
        }
        check_global(context, piece, addresses[at], lane);
        piece.bytes = 1;
        check_global(context, piece, addresses[at] + bytes[at] - 1, lane);
    }
    site.requests.add(from.cost.cost({addresses, context.mask, from.bytes}));
}

// Shared memory is written by eight lanes at a time, and in a further pass by lanes whose banks are taken; each pass reads its
// sectors again. Seen on an H200 with copies of 16 bytes to rows of 80: five sectors for eight lanes, not four. Lanes that read
// nothing write zeros.
std::uint64_t sectors_read_again(const std::array<Address, warp_size>& from, const LaneOffsets& to,
                                 std::uint32_t mask, std::uint32_t reading) {
    constexpr std::size_t piece_bytes = 16, together = 8;
    std::uint64_t again = 0;
    for (std::size_t first = 0; first < warp_size; first += together) {
        std::array<unsigned, together> passes_of_banks{}, pass{};
        for (std::size_t lane = 0; lane < together; ++lane) {
            if (mask >> (first + lane) & 1)
                pass[lane] = passes_of_banks[to[first + lane] / piece_bytes % together]++;
        }
        if (std::ranges::max(pass) == 0) continue;
        for (std::size_t lane = 0; lane < together; ++lane) {
            bool is_read_before = false, is_read_in_pass = false;
            for (std::size_t other = 0; other < lane; ++other) {
                if (!(reading >> (first + other) & reading >> (first + lane) & 1)) continue;
                if (from[first + other] / sector_bytes != from[first + lane] / sector_bytes)
                    continue;
                is_read_before = true;
                is_read_in_pass |= pass[other] == pass[lane];
            }
            again += is_read_before && !is_read_in_pass;
        }
    }
    return again;
}

}  // namespace

void execute_copy(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const CopyDetail*>(operation.detail);
    LaneOffsets to{}, bytes{};
    shared_offsets_of(context, detail.to, detail.to_is_generic, to);
    bytes_to_read(context, detail, bytes);
    const std::uint32_t mask = context.mask;
    std::uint32_t reading = 0;
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
        if (bytes[lane] != 0) reading |= 1u << lane;
    }
    reading &= mask;
    std::array<Address, warp_size> from{};
    if (reading != 0) {
        context.mask = reading;
        access_global(context, detail, bytes, from);
        context.mask = mask;
        if (detail.to.bytes == 16)
            context.sites[detail.from.site].requests.add(
                {.sectors = sectors_read_again(from, to, mask, reading)});
    }
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
        std::byte* const place = context.shared + to[lane];
        if (bytes[lane] != 0) std::memcpy(place, storage_of(from[lane]), bytes[lane]);
        std::memset(place + bytes[lane], 0, detail.to.bytes - bytes[lane]);
    }
    if (context.hazards != nullptr) check_shared_copy(context, detail.to, to);
}

void queue_bulk(WarpContext& context, AccessKind kind, Address begin, std::uint64_t bytes) {
    if (context.hazards != nullptr && kind == AccessKind::store) mark_initialised(begin, bytes);
    TraceRecorder* const recorder = context.execution->recorder;
    if ((context.memory == nullptr && recorder == nullptr) || bytes == 0) return;
    std::vector<LineSectors> lines;
    const Address end = begin + bytes;
    for (Address line = begin / line_bytes * line_bytes; line < end; line += line_bytes) {
        const Address first = line < begin ? (begin - line) / sector_bytes : 0;
        const Address behind =
            end - line >= line_bytes ? 4 : (end - line + sector_bytes - 1) / sector_bytes;
        lines.push_back(LineSectors(line, (0xfu << first) & (0xfu >> (4 - behind))));
    }
    if (recorder != nullptr) recorder->note_lines(context, lines);
    if (context.memory == nullptr) return;
    // Past the L1 there are no hits to count.
    context.memory->queue(context.warp->number, kind, LoadPath::l2, lines, nullptr);
    if (kind == AccessKind::store) {
        for (const PartialSector& part : partial_sectors_of(begin, end))
            context.memory->note_partial(part);
    }
    --context.budget;
}

void note_shared(WarpContext& context, const BulkCopyDetail& detail, int lane, std::uint32_t offset,
                 std::uint32_t bytes) {
    if (context.hazards == nullptr) return;
    const auto thread =
        static_cast<std::uint16_t>(context.warp->number * warp_size + static_cast<unsigned>(lane));
    context.hazards->access({thread, context.warp->epoch}, offset, bytes,
                            detail.to_shared ? AccessKind::store : AccessKind::load,
                            detail.global.site);
}

BulkOperands::BulkOperands(WarpContext& context, const BulkCopyDetail& detail) {
    lane_addresses(context, detail.global, global);
    shared_offsets_of(context, detail.shared, detail.shared_is_generic, shared, true);
    if (detail.to_shared)
        shared_offsets_of(context, detail.barrier, detail.barrier_is_generic, barrier, true);
}

namespace {

// The bytes outside of the shared memory that a copy goes to or comes from, checked.
std::byte* find_outside(WarpContext& context, const BulkCopyDetail& detail, Address address,
                        std::uint32_t bytes, int lane) {
    if (detail.from_own_shared) {
        const Address offset = address & 0xffffffffu;
        check_shared(context, detail.global, offset, lane);
        check_shared(context, detail.global, offset + bytes - 16, lane);
        return context.shared + offset;
    }
    check_global(context, detail.global, address, lane);
    check_global(context, detail.global, address + bytes - 16, lane);
    return storage_of(address);
}

}  // namespace

void execute_bulk_copy(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const BulkCopyDetail*>(operation.detail);
    const auto& [global, shared, barrier] = BulkOperands(context, detail);
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto at = static_cast<std::size_t>(lane);
        const std::uint32_t bytes = context.lanes<std::uint32_t>(detail.bytes)[lane];
        if (bytes == 0) continue;
        if (bytes % 16 != 0) {
            fault_access(
                context, detail.global, lane, FaultKind::misaligned_address,
                "bulk copy of " + std::to_string(bytes) + " bytes, which is no multiple of 16");
        }
        std::byte* const outside = find_outside(context, detail, global[at], bytes, lane);
        check_shared(context, detail.shared, (shared[at] & own_offset_mask) + bytes - 16, lane);
        if (!detail.from_own_shared)
            queue_bulk(context, detail.to_shared ? AccessKind::load : AccessKind::store, global[at],
                       bytes);
        const auto copy = [&](std::uint32_t to, std::uint32_t signals, bool) {
            {
                const InBlockOf there(context, to);
                std::byte* const inside = context.shared + (to & own_offset_mask);
                std::memmove(detail.to_shared ? inside : outside,
                             detail.to_shared ? outside : inside, bytes);
                note_shared(context, detail, lane, to & own_offset_mask, bytes);
            }
            if (detail.to_shared) complete_bytes(context, signals, bytes);
        };
        for_destinations(context, detail, lane, shared[at], barrier[at], copy);
    }
}

}  // namespace emulator::simt
