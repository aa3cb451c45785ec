#include "emulator/simt/memory/whole_warp_access.hpp"

#include <cstring>
#include <memory>

#include "emulator/simt/record/hazard_checks.hpp"
#include "emulator/simt/state/launch.hpp"

namespace emulator::simt {
namespace {

constexpr std::uint32_t all_lanes = 0xffffffffu;
constexpr std::ptrdiff_t cpu_line_bytes = 64;
constexpr std::ptrdiff_t prefetch_bytes = 1024;

enum class Shape { contiguous, uniform, other };

PatternKind kind_of(Shape shape) {
    return shape == Shape::contiguous ? PatternKind::contiguous : PatternKind::uniform;
}

// An access that is neither is mostly followed by more of its kind.
constexpr std::uint8_t others_in_a_row = 31;

bool expects_other(const WarpContext& context, SiteState& site) {
    if (context.mask != all_lanes) return true;
    if (site.others_expected == 0) return false;
    --site.others_expected;
    return true;
}

// The accesses of `lanes[i]`, which lie `stride` apart where the accesses are side by side.
template <class T>
Shape shape_of(const T* lanes, T stride) {
    lanes = std::assume_aligned<64>(lanes);
    const T first = lanes[0];
    T not_contiguous = 0, not_uniform = 0;
    for (int lane = 0; lane < warp_size; ++lane) {
        const T difference = lanes[lane] - first;
        not_contiguous |= difference ^ static_cast<T>(static_cast<T>(lane) * stride);
        not_uniform |= difference;
    }
    return not_contiguous == 0 ? Shape::contiguous
           : not_uniform == 0  ? Shape::uniform
                               : Shape::other;
}

template <class Word, AccessKind kind>
void move_words(WarpContext& context, const MemoryDetail& detail, Shape shape, std::byte* place) {
    if constexpr (kind == AccessKind::load) {
        if (detail.registers[0] == no_register) return;
        Word* const to = std::assume_aligned<64>(context.lanes<Word>(detail.registers[0]));
        if (shape == Shape::contiguous) {
            // The next warps mostly read what follows.
            __builtin_prefetch(place + prefetch_bytes);
            __builtin_prefetch(place + prefetch_bytes + cpu_line_bytes);
            std::memcpy(to, place, warp_size * sizeof(Word));
        } else {
            Word value;
            std::memcpy(&value, place, sizeof(Word));
            for (int lane = 0; lane < warp_size; ++lane) to[lane] = value;
        }
    } else {
        const Word* const from = std::assume_aligned<64>(context.lanes<Word>(detail.registers[0]));
        ++context.execution->memory_changes;
        if (shape == Shape::contiguous) {
            std::memcpy(place, from, warp_size * sizeof(Word));
        } else {
            std::memcpy(place, from + warp_size - 1, sizeof(Word));  // the last lane's stays
        }
    }
}

// The whole request lies within the window, aligned: `first` is the first lane's offset.
template <class Word>
bool fits(std::int64_t first, std::int64_t limit, Shape shape) {
    const std::int64_t last =
        first + (shape == Shape::contiguous ? std::int64_t{(warp_size - 1) * sizeof(Word)} : 0);
    return first >= 0 && last <= limit && first % std::int64_t{sizeof(Word)} == 0;
}

template <class Word, AccessKind kind, bool is_checked>
void access_global(Warp& warp, const Operation& operation, Shape shape, std::int64_t first) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const MemoryDetail*>(operation.detail);
    SiteState& site = context.sites[detail.site];
    Pattern* const pattern = shape == Shape::contiguous ? site.contiguous : site.uniform;
    if (pattern == nullptr || !fits<Word>(first, site.limit, shape)) {
        return execute_global(warp, operation);
    }
    const Address address = site.low + static_cast<Address>(first);
    ++pattern->seen[address % line_bytes];
    if constexpr (is_checked)
        check_whole_warp(context, detail, site.storage, kind_of(shape),
                         static_cast<std::uint32_t>(first));
    if (context.memory != nullptr && detail.cost.is_issued())
        queue_whole_warp(context, detail, site, *pattern, address);
    move_words<Word, kind>(context, detail, shape, site.storage + first);
}

// Handlers exist twice, with and without checks of hazards: without, they make no call that is not their last act, and so need
// no stack frame.

// array[index]: indices side by side, elements of the word's size.
template <class Word, AccessKind kind, bool is_checked = false>
[[gnu::noinline]] void execute_array(Warp& warp, const Operation& operation) {
    const auto& detail = *static_cast<const MemoryDetail*>(operation.detail);
    WarpContext& context = context_of(warp);
    if (!is_checked && context.hazards != nullptr) [[unlikely]]
        return execute_array<Word, kind, true>(warp, operation);
    SiteState& site = context.sites[detail.site];
    if (expects_other(context, site)) return execute_global(warp, operation);
    const std::uint32_t* const index = warp.lanes<std::uint32_t>(detail.base);
    const Shape shape = shape_of<std::uint32_t>(index, 1);
    if (shape == Shape::other) {
        site.others_expected = others_in_a_row;
        return execute_global(warp, operation);
    }
    const std::uint32_t low = index[0], high = index[warp_size - 1];
    const bool wraps = detail.index_is_signed
                           ? static_cast<std::int32_t>(low) > static_cast<std::int32_t>(high)
                           : low > high;
    if (wraps) return execute_global(warp, operation);
    const auto wide = detail.index_is_signed
                          ? static_cast<Address>(std::int64_t{static_cast<std::int32_t>(low)})
                          : Address{low};
    const Address first = warp.lanes<std::uint64_t>(detail.array)[0] + wide * sizeof(Word) +
                          static_cast<Address>(detail.offset);
    access_global<Word, kind, is_checked>(warp, operation, shape,
                                          static_cast<std::int64_t>(first - site.low));
}

template <class Word, AccessKind kind, bool is_checked = false>
[[gnu::noinline]] void execute_addresses(Warp& warp, const Operation& operation) {
    const auto& detail = *static_cast<const MemoryDetail*>(operation.detail);
    WarpContext& context = context_of(warp);
    if (!is_checked && context.hazards != nullptr) [[unlikely]]
        return execute_addresses<Word, kind, true>(warp, operation);
    SiteState& site = context.sites[detail.site];
    if (expects_other(context, site)) return execute_global(warp, operation);
    const std::uint64_t* const addresses = warp.lanes<std::uint64_t>(detail.base);
    const Shape shape = shape_of<std::uint64_t>(addresses, sizeof(Word));
    if (shape == Shape::other) {
        site.others_expected = others_in_a_row;
        return execute_global(warp, operation);
    }
    access_global<Word, kind, is_checked>(
        warp, operation, shape, static_cast<std::int64_t>(addresses[0] - site.low) + detail.offset);
}

template <class Word, AccessKind kind, bool is_checked = false>
[[gnu::noinline]] void execute_shared_words(Warp& warp, const Operation& operation) {
    const auto& detail = *static_cast<const MemoryDetail*>(operation.detail);
    WarpContext& context = context_of(warp);
    if (!is_checked && context.hazards != nullptr) [[unlikely]]
        return execute_shared_words<Word, kind, true>(warp, operation);
    SiteState& site = context.sites[detail.site];
    if (expects_other(context, site)) return execute_shared(warp, operation);
    const std::uint32_t* const offsets = warp.lanes<std::uint32_t>(detail.base);
    const Shape shape = shape_of<std::uint32_t>(offsets, sizeof(Word));
    if (shape == Shape::other) site.others_expected = others_in_a_row;
    Pattern* const pattern = shape == Shape::contiguous ? site.contiguous
                             : shape == Shape::uniform  ? site.uniform
                                                        : nullptr;
    // In 32 bits, as the offsets are.
    const std::uint32_t wrapped = offsets[0] + static_cast<std::uint32_t>(detail.offset);
    const std::int64_t first = wrapped;
    const std::int64_t limit = std::int64_t{context.shared_bytes} - std::int64_t{sizeof(Word)};
    if (pattern == nullptr || !fits<Word>(first, limit, shape))
        return execute_shared(warp, operation);
    ++pattern->seen[static_cast<std::size_t>(first) % bank_row_bytes];
    if constexpr (is_checked) check_whole_warp(context, detail, nullptr, kind_of(shape), wrapped);
    move_words<Word, kind>(context, detail, shape, context.shared + first);
}

template <class Word, AccessKind kind>
Handler find(const MemoryDetail& detail, bool is_shared) {
    if (is_shared) return detail.base_is_64_bit ? nullptr : execute_shared_words<Word, kind>;
    if (detail.array != no_register) {
        return detail.scale == sizeof(Word) ? execute_array<Word, kind> : nullptr;
    }
    return detail.base_is_64_bit ? execute_addresses<Word, kind> : nullptr;
}

}  // namespace

Handler find_whole_warp_access(const MemoryDetail& detail, unsigned register_bytes,
                               bool is_shared) {
    if (detail.elements != 1 || detail.element_bytes != register_bytes) return nullptr;
    if (detail.base == no_register) return nullptr;
    const bool loads = detail.kind == AccessKind::load;
    if (register_bytes == 4) {
        return loads ? find<std::uint32_t, AccessKind::load>(detail, is_shared)
                     : find<std::uint32_t, AccessKind::store>(detail, is_shared);
    }
    if (register_bytes == 8) {
        return loads ? find<std::uint64_t, AccessKind::load>(detail, is_shared)
                     : find<std::uint64_t, AccessKind::store>(detail, is_shared);
    }
    return nullptr;
}

}  // namespace emulator::simt
