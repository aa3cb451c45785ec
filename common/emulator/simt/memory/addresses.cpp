// From registers to checked places in memory.
#include <sys/mman.h>

#include <bit>
#include <sstream>

#include "emulator/memory/device_memory.hpp"
#include "emulator/simt/decode/module.hpp"
#include "emulator/simt/record/hazard_checks.hpp"
#include "emulator/simt/state/launch.hpp"
#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {
namespace {

constexpr std::uint32_t all_lanes = 0xffffffffu;
constexpr std::int64_t max_window = std::int64_t{1} << 31;

const char* verb(AccessKind kind) {
    switch (kind) {
        case AccessKind::load:
            return "reads ";
        case AccessKind::store:
            return "writes ";
        case AccessKind::atomic:
            return "updates ";
    }
    return "";
}

// Programs of the host are not loaded below.
constexpr Address lowest_host_address = 0x40'0000;
// As far as an index of 32 bits leads, with elements of 16 bytes; nothing of the host is so close to the GPU's memory.
constexpr Address max_index_bytes = Address{16} << 32;
constexpr Address min_overflow_bytes = Address{1} << 30;

std::string hexadecimal(Address address) {
    std::ostringstream text;
    text << "0x" << std::hex << address;
    return text.str();
}

bool is_mapped_by_host(Address address) {
    constexpr Address page = 4096;
    unsigned char resident = 0;
    return mincore(reinterpret_cast<void*>(address / page * page), 1, &resident) == 0;
}

std::string describe_distance(Address distance, const char* where, const Allocation& from) {
    return std::to_string(distance) + (distance == 1 ? " byte " : " bytes ") + where +
           " an allocation of " + std::to_string(from.bytes) + " bytes" +
           (distance >= min_overflow_bytes ? " (an index of 32 bits that overflowed?)" : "");
}

// `address` is behind the allocation's last byte, or so close before it that the access goes beyond.
std::string describe_past(Address address, const Allocation& from) {
    const std::string place = std::to_string(address - from.begin);
    if (address <= from.end())
        return "at byte " + place + " of an allocation of " + std::to_string(from.bytes) + " bytes";
    return describe_distance(address - from.end(), "past the end of", from);
}

// The memory of the parameters lies among the program's allocations.
bool is_of_program(const std::optional<Allocation>& allocation) {
    return allocation && allocation->begin != Module::parameter_buffer();
}

std::optional<Allocation> program_allocation_below(Address address) {
    const auto found = allocation_at_or_below(address);
    return !found || is_of_program(found) ? found : allocation_at_or_below(found->begin - 1);
}

std::optional<Allocation> program_allocation_above(Address address) {
    const auto found = allocation_above(address);
    return !found || is_of_program(found) ? found : allocation_above(found->begin);
}

// array[index] tells which allocation is meant.
std::optional<Allocation> accessed_array(Warp& warp, const MemoryDetail& detail, int lane) {
    if (detail.array == no_register) return std::nullopt;
    const Address array = warp.lanes<std::uint64_t>(detail.array)[lane];
    const auto found = allocation_at_or_below(array);
    return found && array < found->end() ? found : std::nullopt;
}

std::string describe_outside(Address address, std::uint32_t bytes,
                             const std::optional<Allocation>& array) {
    if (address < lowest_host_address)
        return address == 0
                   ? "at address 0: a null pointer"
                   : "at address " + hexadecimal(address) + ": a null pointer and an offset";
    if (array && address >= array->end()) return describe_past(address, *array);
    if (array && address < array->begin)
        return describe_distance(array->begin - address, "before", *array);
    if (const auto freed = freed_at(address))
        return "of an allocation of " + std::to_string(freed->bytes) + " bytes that was freed";
    const auto below = program_allocation_below(address), above = program_allocation_above(address);
    const Address past = below ? address + bytes - below->end() : max_index_bytes;
    const Address before = above ? above->begin - address : max_index_bytes;
    if (below && past <= before && past < max_index_bytes) return describe_past(address, *below);
    if (above && before < max_index_bytes) return describe_distance(before, "before", *above);
    if (is_mapped_by_host(address))
        return "in memory of the host (a host pointer passed to a kernel?)";
    return "at address " + hexadecimal(address) +
           ", where no memory is (a pointer that was not set?)";
}

// Offsets of the active lanes from the site's window, as far as the window reaches.
template <bool full, class Register>
bool offsets_in_window(Warp& warp, const MemoryDetail& detail, const SiteState& site,
                       LaneOffsets& offsets) {
    const Register* const base = warp.lanes<Register>(detail.base);
    const std::int64_t shift = detail.offset - static_cast<std::int64_t>(site.low);
    const std::int64_t limit = site.limit;
    const std::uint32_t mask = warp.mask;
    std::int64_t bad = 0, low_bits = 0;
    std::int64_t first = 0;
    if constexpr (!full) first = std::int64_t(base[std::countr_zero(mask)]) + shift;
    for (int lane = 0; lane < warp_size; ++lane) {
        std::int64_t offset = static_cast<std::int64_t>(base[lane]) + shift;
        if constexpr (!full) offset = (mask >> lane & 1) != 0 ? offset : first;
        bad |= offset | (limit - offset);
        low_bits |= offset;
        offsets[static_cast<std::size_t>(lane)] = static_cast<std::uint32_t>(offset);
    }
    return bad >= 0 && (low_bits & (detail.bytes - 1)) == 0;
}

// Which indices of the array lie in the window. False where no index is known to be aligned.
bool find_indices(const MemoryDetail& detail, SiteState& site, Address array) {
    site.array = array;
    site.has_indices = false;
    if (site.limit < 0) return false;
    const std::int64_t scale = detail.scale;
    const auto first = static_cast<std::int64_t>(array - site.low) + detail.offset;
    if (((first | scale) & (detail.bytes - 1)) != 0) return false;
    const std::int64_t lowest_index = detail.index_is_signed ? -max_window : 0;
    const std::int64_t highest_index = detail.index_is_signed ? max_window - 1 : 2 * max_window - 1;
    // The quotients rounded up and down.
    const std::int64_t to_low = -first, to_limit = site.limit - first;
    const auto rounded_down = [&](std::int64_t value) {
        return value >= 0 ? value / scale : -((-value + scale - 1) / scale);
    };
    const std::int64_t low = std::max(lowest_index, -rounded_down(-to_low));
    const std::int64_t high = std::min(highest_index, rounded_down(to_limit));
    if (low > high) return false;
    site.first_index = static_cast<std::uint32_t>(low);
    site.index_span = static_cast<std::uint32_t>(high - low);
    site.first_offset = static_cast<std::uint32_t>(first + low * scale);
    site.has_indices = true;
    return true;
}

template <bool full>
bool array_offsets(Warp& warp, const MemoryDetail& detail, const SiteState& site,
                   LaneOffsets& offsets) {
    const std::uint32_t* const index = warp.lanes<std::uint32_t>(detail.base);
    const std::uint32_t lowest = site.first_index, scale = detail.scale, start = site.first_offset;
    const std::uint32_t mask = warp.mask;
    std::uint32_t first = 0;
    if constexpr (!full) first = index[std::countr_zero(mask)] - lowest;
    std::uint32_t highest = 0;
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
        std::uint32_t place = index[lane] - lowest;
        if constexpr (!full) place = (mask >> lane & 1) != 0 ? place : first;
        highest = std::max(highest, place);
        offsets[lane] = place * scale + start;
    }
    return highest <= site.index_span;
}

bool offsets_in_array(Warp& warp, const MemoryDetail& detail, SiteState& site,
                      LaneOffsets& offsets) {
    const Address array = warp.lanes<std::uint64_t>(detail.array)[std::countr_zero(warp.mask)];
    if (!site.has_indices || array != site.array) {
        if (!find_indices(detail, site, array)) return false;
    }
    return warp.mask == all_lanes ? array_offsets<true>(warp, detail, site, offsets)
                                  : array_offsets<false>(warp, detail, site, offsets);
}

bool offsets_in_window(Warp& warp, const MemoryDetail& detail, SiteState& site,
                       LaneOffsets& offsets) {
    if (detail.array != no_register) return offsets_in_array(warp, detail, site, offsets);
    if (detail.base == no_register) {
        const std::int64_t offset = detail.offset - static_cast<std::int64_t>(site.low);
        offsets.fill(static_cast<std::uint32_t>(offset));
        return (offset | (site.limit - offset)) >= 0 && offset % detail.bytes == 0;
    }
    if (warp.mask == all_lanes) {
        return detail.base_is_64_bit
                   ? offsets_in_window<true, std::uint64_t>(warp, detail, site, offsets)
                   : offsets_in_window<true, std::uint32_t>(warp, detail, site, offsets);
    }
    return detail.base_is_64_bit
               ? offsets_in_window<false, std::uint64_t>(warp, detail, site, offsets)
               : offsets_in_window<false, std::uint32_t>(warp, detail, site, offsets);
}

void open_window(SiteState& site, const Allocation& allocation, Address address,
                 std::uint32_t bytes) {
    site.low = allocation.begin;
    if (allocation.bytes > static_cast<std::size_t>(max_window)) {
        const Address in_middle = address - static_cast<Address>(max_window) / 2;
        if (address - allocation.begin > static_cast<Address>(max_window) / 2) {
            site.low = in_middle / line_bytes * line_bytes;
        }
    }
    site.has_indices = false;
    site.storage = storage_of(site.low);
    const Address rest = allocation.end() - site.low;
    site.limit = static_cast<std::int64_t>(std::min<Address>(rest, max_window)) - bytes;
}

}  // namespace

Address lane_address(Warp& warp, const MemoryDetail& detail, int lane) {
    const auto offset = static_cast<Address>(detail.offset);
    if (detail.base == no_register) return offset;
    if (detail.array != no_register) {
        const std::uint32_t index = warp.lanes<std::uint32_t>(detail.base)[lane];
        const Address wide =
            detail.index_is_signed
                ? static_cast<Address>(std::int64_t{static_cast<std::int32_t>(index)})
                : Address{index};
        return warp.lanes<std::uint64_t>(detail.array)[lane] + wide * detail.scale + offset;
    }
    return offset + (detail.base_is_64_bit ? warp.lanes<std::uint64_t>(detail.base)[lane]
                                           : warp.lanes<std::uint32_t>(detail.base)[lane]);
}

void lane_addresses(Warp& warp, const MemoryDetail& detail,
                    std::array<Address, warp_size>& addresses) {
    for (int lane = 0; lane < warp_size; ++lane) {
        addresses[static_cast<std::size_t>(lane)] =
            (warp.mask >> lane & 1) != 0 ? lane_address(warp, detail, lane) : 0;
    }
}

bool locate_global(WarpContext& context, const MemoryDetail& detail, SiteState& site,
                   Located& located) {
    if (!offsets_in_window(context, detail, site, located.offsets)) {
        const Address address = lane_address(context, detail, std::countr_zero(context.mask));
        const Allocation* const allocation = context.execution->find_allocation(address);
        if (allocation == nullptr || address + detail.bytes > allocation->end()) return false;
        open_window(site, *allocation, address, detail.bytes);
        if (!offsets_in_window(context, detail, site, located.offsets)) return false;
    }
    located.base = site.storage;
    return true;
}

std::string describe_access(const MemoryDetail& detail, const std::string& what) {
    return verb(detail.kind) + std::to_string(detail.bytes) +
           (detail.bytes == 1 ? " byte " : " bytes ") + what;
}

void fault_access(WarpContext& context, const MemoryDetail& detail, int lane, FaultKind kind,
                  const std::string& what) {
    throw fault_at(context, kind, detail.instruction, lane, describe_access(detail, what));
}

namespace {

[[noreturn]] void fault_misaligned(WarpContext& context, const MemoryDetail& detail, int lane,
                                   const char* space = "") {
    const std::string bytes = std::to_string(detail.bytes);
    fault_access(context, detail, lane, FaultKind::misaligned_address,
                 std::string("at a misaligned address") + space + ": " + bytes +
                     "-byte accesses need addresses that are multiples of " + bytes);
}

}  // namespace

void check_global(WarpContext& context, const MemoryDetail& detail, Address address, int lane) {
    const Allocation* const allocation = context.execution->find_allocation(address);
    if (allocation == nullptr || address + detail.bytes > allocation->end()) {
        fault_access(
            context, detail, lane, FaultKind::illegal_address,
            describe_outside(address, detail.bytes, accessed_array(context, detail, lane)));
    }
    if (address % detail.bytes != 0) fault_misaligned(context, detail, lane);
}

// A GPU maps memory in pages of 2 MiB: around an allocation there mostly is some more, which belongs to others.
bool goes_beyond(WarpContext& context, const MemoryDetail& detail, Address address, int lane) {
    constexpr Address page = Address{2} << 20;
    if (!context.execution->launch.options.keep_going || address % detail.bytes != 0) return false;
    const Allocation* const inside = context.execution->find_allocation(address);
    if (inside != nullptr && address + detail.bytes <= inside->end()) return false;
    const auto below = program_allocation_below(address), above = program_allocation_above(address);
    const bool is_mapped = (below && address + detail.bytes - below->end() <= page) ||
                           (above && above->begin - address <= page) || freed_at(address);
    if (!is_mapped) return false;
    note_out_of_bounds(
        context, detail, lane,
        describe_access(detail, describe_outside(address, detail.bytes,
                                                 accessed_array(context, detail, lane))));
    return true;
}

void check_shared(WarpContext& context, const MemoryDetail& detail, Address offset, int lane) {
    const std::uint32_t size = context.shared_bytes;
    if (offset % detail.bytes != 0) fault_misaligned(context, detail, lane, " of shared memory");
    if (offset + detail.bytes <= size) return;
    const char* const remedy =
        size == 0 ? " (the launch asks for none: <<<grid, block, bytes>>>)" : "";
    fault_access(context, detail, lane, FaultKind::illegal_address,
                 offset > window_bytes / 2
                     ? "below the block's shared memory"
                     : "at byte " + std::to_string(offset) + " of the block's " +
                           std::to_string(size) + " bytes of shared memory" + remedy);
}

void check_private(WarpContext& context, const MemoryDetail& detail, Address offset, int lane) {
    if (offset % detail.bytes != 0) fault_misaligned(context, detail, lane, " of local memory");
    // Behind the variables of the function nothing is its own: what a callee has there ends with the callee.
    const std::uint32_t size = context.frame->local_base + context.frame->function->local_bytes;
    if (offset + detail.bytes <= size) return;
    fault_access(context, detail, lane, FaultKind::illegal_address,
                 "outside the thread's local memory, " + std::to_string(size) +
                     " bytes (a local array indexed beyond its end?)");
}

}  // namespace emulator::simt
