// Loads and stores of shared, local and parameter memory.
#include <bit>

#include "emulator/simt/record/hazard_checks.hpp"
#include "emulator/simt/state/cluster.hpp"
#include "emulator/simt/state/launch.hpp"
#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {
namespace {

template <bool full, class Register>
bool shared_offsets(Warp& warp, const MemoryDetail& detail, std::uint32_t size,
                    LaneOffsets& offsets) {
    const Register* const base = warp.lanes<Register>(detail.base);
    const auto shift = static_cast<std::uint32_t>(detail.offset);
    const auto limit = static_cast<std::int32_t>(size - detail.bytes);
    const std::uint32_t mask = warp.mask;
    std::uint32_t first = 0;
    if constexpr (!full) first = static_cast<std::uint32_t>(base[std::countr_zero(mask)]) + shift;
    std::int32_t bad = 0;
    std::uint32_t low_bits = 0;
    for (int lane = 0; lane < warp_size; ++lane) {
        std::uint32_t offset = static_cast<std::uint32_t>(base[lane]) + shift;
        if constexpr (!full) offset = (mask >> lane & 1) != 0 ? offset : first;
        bad |= static_cast<std::int32_t>(offset) | (limit - static_cast<std::int32_t>(offset));
        low_bits |= offset;
        offsets[static_cast<std::size_t>(lane)] = offset;
    }
    return bad >= 0 && (low_bits & (detail.bytes - 1)) == 0;
}

}  // namespace

bool locate_shared(WarpContext& context, const MemoryDetail& detail, Located& located) {
    located.base = context.shared;
    const std::uint32_t size = context.shared_bytes;
    bool good = size >= detail.bytes;
    if (detail.base == no_register) {
        located.offsets.fill(static_cast<std::uint32_t>(detail.offset));
        good &= detail.offset >= 0 && detail.offset + detail.bytes <= size &&
                detail.offset % detail.bytes == 0;
    } else if (context.mask == 0xffffffffu) {
        good &= detail.base_is_64_bit
                    ? shared_offsets<true, std::uint64_t>(context, detail, size, located.offsets)
                    : shared_offsets<true, std::uint32_t>(context, detail, size, located.offsets);
    } else {
        good &= detail.base_is_64_bit
                    ? shared_offsets<false, std::uint64_t>(context, detail, size, located.offsets)
                    : shared_offsets<false, std::uint32_t>(context, detail, size, located.offsets);
    }
    if (good) return true;
    if (reaches_other_blocks(context, located.offsets)) return false;
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        check_shared(context, detail, located.offsets[static_cast<std::size_t>(lane)], lane);
    }
    return true;
}

PatternKind count_shared(WarpContext& context, const MemoryDetail& detail, RequestCounter& requests,
                         const LaneOffsets& offsets, SiteState* site) {
    Pattern* const pattern = requests.find(offsets, context.mask, detail.bytes);
    if (pattern == nullptr) [[unlikely]] {
        std::array<Address, warp_size> addresses;
        for (std::size_t lane = 0; lane < warp_size; ++lane) addresses[lane] = offsets[lane];
        CostModel cost = detail.cost;
        cost.space = AccessSpace::shared;
        requests.add(cost.cost({addresses, context.mask, detail.bytes}));
        return PatternKind::other;
    }
    if (site != nullptr) site->note(pattern);
    ++pattern->seen[offsets[static_cast<std::size_t>(std::countr_zero(context.mask))] %
                    bank_row_bytes];
    return pattern->kind;
}

// How many passes accesses to other SMs take is not known: they are not counted.
void access_cluster(WarpContext& context, const MemoryDetail& detail,
                    const LaneOffsets& addresses) {
    for_blocks_of_cluster(context, detail, addresses, [&](const LaneOffsets& offsets) {
        if (context.hazards != nullptr) check_shared_access(context, detail, offsets);
        move(context, detail, PatternKind::other, context.shared, offsets, context.mask);
    });
}

void execute_shared(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const MemoryDetail*>(operation.detail);
    Located located;
    if (!locate_shared(context, detail, located))
        return access_cluster(context, detail, located.offsets);
    SiteState& site = context.sites[detail.site];
    const PatternKind kind = count_shared(context, detail, site.requests, located.offsets, &site);
    if (context.hazards != nullptr) [[unlikely]] {
        check_shared_access(context, detail, located.offsets, kind);
    }
    move(context, detail, kind, located.base, located.offsets, context.mask);
}

// Words of a warp's lanes lie side by side: what a request touches are the words' rows.
void count_local(WarpContext& context, const MemoryDetail& detail, RequestCounter& requests,
                 const LaneOffsets& offsets) {
    AccessCounters cost;
    std::array<Address, warp_size> addresses;
    const std::uint32_t word_bytes = std::min(detail.bytes, interleaved_word_bytes);
    std::uint32_t bytes = detail.bytes;
    if (detail.cost.space == AccessSpace::local && detail.cost.issued != nullptr) {
        if (detail.cost.issued->empty()) return;
        bytes = detail.cost.issued->front().bytes;
    }
    for (std::uint32_t word = 0; word < bytes; word += interleaved_word_bytes) {
        for (int lane = 0; lane < warp_size; ++lane) {
            addresses[static_cast<std::size_t>(lane)] =
                interleaved(offsets[static_cast<std::size_t>(lane)] + word, lane);
        }
        const Transactions part = coalesce({addresses, context.mask, word_bytes});
        ++cost.requests;  // an H200 counts one for each row
        cost.sectors += part.sectors;
        cost.lines += part.lines;
        cost.distinct_bytes += part.distinct_bytes;
        cost.lane_bytes += part.lane_bytes;
        cost.moved_bytes += sector_bytes * part.sectors;
    }
    requests.add(cost);
}

namespace {

// Offsets in the interleaved area; whether they are the same in all lanes.
bool private_offsets(WarpContext& context, const MemoryDetail& detail, LaneOffsets& offsets) {
    auto shift = static_cast<std::uint32_t>(detail.offset);
    if (detail.is_frame_local) shift += context.frame->local_base;
    if (detail.base == no_register) {
        offsets.fill(shift);
        return true;
    }
    const auto first_lane = static_cast<std::size_t>(std::countr_zero(context.mask));
    std::uint32_t differences = 0;
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
        const bool active = (context.mask >> lane & 1) != 0;
        const std::size_t from = active ? lane : first_lane;
        offsets[lane] =
            shift +
            (detail.base_is_64_bit
                 ? static_cast<std::uint32_t>(context.lanes<std::uint64_t>(detail.base)[from])
                 : context.lanes<std::uint32_t>(detail.base)[from]);
        differences |= offsets[lane] ^ offsets[0];
    }
    return differences == 0;
}

void move_private(WarpContext& context, const MemoryDetail& detail, std::byte* base, bool uniform,
                  const LaneOffsets& offsets) {
    for (std::uint32_t i = 0; i < detail.elements; ++i) {
        if (detail.registers[i] == no_register) continue;
        std::byte* const lanes = context.registers + detail.registers[i];
        const std::uint32_t element = i * detail.element_bytes;
        if (uniform) {
            detail.mover->interleaved(lanes, base, offsets[0] + element, context.mask);
        } else {
            LaneOffsets shifted = offsets;
            for (std::uint32_t& offset : shifted) offset += element;
            detail.mover->interleaved_scattered(lanes, base, shifted.data(), context.mask);
        }
    }
}

}  // namespace

void access_local(WarpContext& context, const MemoryDetail& detail, RequestCounter& requests,
                  const LaneOffsets& offsets, bool uniform) {
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        check_private(context, detail, offsets[static_cast<std::size_t>(lane)], lane);
        if (uniform) break;
    }
    count_local(context, detail, requests, offsets);
    move_private(context, detail, context.warp->local.data(), uniform, offsets);
}

void execute_local(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const MemoryDetail*>(operation.detail);
    LaneOffsets offsets;
    const bool uniform = private_offsets(context, detail, offsets);
    access_local(context, detail, context.sites[detail.site].requests, offsets, uniform);
}

// Every lane's copy of a spilled register lies at one offset: which one does not matter.
void execute_spill(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const MemoryDetail*>(operation.detail);
    count_local(context, detail, context.sites[detail.site].requests, LaneOffsets{});
}

// Arguments and results of calls lie with the frame; their traffic is the calling convention's.
void execute_parameter(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const MemoryDetail*>(operation.detail);
    LaneOffsets offsets;
    const bool uniform = private_offsets(context, detail, offsets);
    const std::uint32_t size = context.frame->function->parameter_bytes;
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        if (offsets[static_cast<std::size_t>(lane)] + detail.bytes > size) {
            fault_access(context, detail, lane, FaultKind::illegal_address,
                         "outside the parameters of the function");
        }
    }
    move_private(context, detail, context.frame->parameters, uniform, offsets);
}

void execute_kernel_parameter(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const MemoryDetail*>(operation.detail);
    const std::span<const std::byte> parameters = context.execution->launch.parameters;
    std::array<Address, warp_size> addresses;
    lane_addresses(context, detail, addresses);
    LaneOffsets offsets{};
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const Address offset = addresses[static_cast<std::size_t>(lane)];
        if (offset + detail.bytes > parameters.size()) {
            fault_access(context, detail, lane, FaultKind::illegal_address,
                         "outside the parameters of the kernel");
        }
        offsets[static_cast<std::size_t>(lane)] = static_cast<std::uint32_t>(offset);
    }
    move(context, detail, PatternKind::other, const_cast<std::byte*>(parameters.data()), offsets,
         context.mask);
}

}  // namespace emulator::simt
