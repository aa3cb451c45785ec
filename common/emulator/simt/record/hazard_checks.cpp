// Accesses, fences and waits, as the models of hazards take them.
#include "emulator/simt/record/hazard_checks.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/memory/device_memory.hpp"
#include "emulator/models/hazards/global_races.hpp"
#include "emulator/models/hazards/shared_hazards.hpp"
#include "emulator/simt/record/hazard_texts.hpp"
#include "emulator/simt/state/launch.hpp"

namespace emulator::simt {
namespace {

std::uint16_t first_thread(const WarpContext& context) {
    return static_cast<std::uint16_t>(context.warp->number * warp_size);
}

Accessor accessor(const WarpContext& context, int lane) {
    return {static_cast<std::uint16_t>(first_thread(context) + lane), context.warp->epoch};
}

// Values of a store, in the lanes' registers.
class LaneValues final : public StoredValues {
  public:
    LaneValues(WarpContext& context, const MemoryDetail& detail, std::byte* base,
               const std::uint32_t* offsets)
        : context_(context), detail_(detail), base_(base), offsets_(offsets) {}

    bool is_same(std::uint16_t thread, std::uint16_t other) const override {
        const unsigned lane = thread % warp_size, other_lane = other % warp_size;
        const Value mine = value(lane);
        const bool is_in_warp = other != no_thread && other / warp_size == context_.warp->number;
        if (is_in_warp && (context_.mask >> other_lane & 1) != 0 &&
            offsets_[lane] == offsets_[other_lane]) {
            return mine == value(other_lane);
        }
        return std::memcmp(base_ + offsets_[lane], mine.data(), detail_.bytes) == 0;
    }

  private:
    using Value = std::array<std::byte, max_elements * 8>;
    Value value(unsigned lane) const {
        Value result{};
        const LaneOffsets zeros{};
        for (std::uint32_t i = 0; i < detail_.elements; ++i) {
            detail_.mover->scattered(context_.registers + detail_.registers[i],
                                     result.data() + i * detail_.element_bytes, zeros.data(),
                                     1u << lane);
        }
        return result;
    }

    WarpContext& context_;
    const MemoryDetail& detail_;
    std::byte* base_;
    const std::uint32_t* offsets_;
};

// Orders accesses of one thread before those of others; `Order` is the block's shared memory or its part in global memory.
void note_order(WarpContext& context, const MemoryDetail& detail) {
    if (!detail.is_strong && detail.kind != AccessKind::atomic) return;
    GlobalRaces* const races = context.execution->races;
    const bool loads = detail.kind == AccessKind::load || detail.reads_result;
    if (detail.is_release) {
        context.hazards->fence();
        if (races != nullptr) races->fence(context.block->order);
    }
    if (detail.kind != AccessKind::load) {
        context.hazards->release();
        if (races != nullptr) races->release(context.block->order);
    }
    if (!loads) return;
    context.hazards->acquire();
    if (races != nullptr) races->acquire(context.block->order);
}

WarpAccess access_of(const WarpContext& context, const MemoryDetail& detail, std::uint32_t mask,
                     Address base, const std::uint32_t* offsets, PatternKind kind,
                     const LaneValues& values) {
    return {.first_thread = first_thread(context),
            .warp_epoch = context.warp->epoch,
            .mask = mask,
            .base = base,
            .offsets = offsets,
            .bytes = detail.bytes,
            .kind = detail.kind,
            .is_strong = detail.is_strong || detail.kind == AccessKind::atomic,
            .overwrites = detail.overwrites,
            .is_side_by_side = kind == PatternKind::contiguous,
            .is_uniform = kind == PatternKind::uniform,
            .site = detail.site,
            .values = detail.kind == AccessKind::store ? &values : nullptr};
}

void note_races(WarpContext& context, const MemoryDetail& detail, std::uint32_t mask, Address base,
                std::byte* storage, const std::uint32_t* offsets, PatternKind kind) {
    GlobalRaces& races = *context.execution->races;
    const LaneValues values(context, detail, storage, offsets);
    races.access(context.block->order,
                 access_of(context, detail, mask, base, offsets, kind, values));
    if (races.has_findings()) note_global_races(context);
}

void check_initialised(WarpContext& context, const MemoryDetail& detail, Address address,
                       int lane) {
    const bool reads = detail.kind != AccessKind::store && !detail.overwrites;
    if (reads && !is_initialised(address, detail.bytes))
        note_uninitialised(context, detail, address, lane);
    if (detail.kind != AccessKind::load) mark_initialised(address, detail.bytes);
}

template <class Word>
constexpr Word all_ones = static_cast<Word>(0x0101'0101'0101'0101u);

template <class Word>
bool are_initialised(const std::byte* shadow, const LaneOffsets& offsets) {
    Word missing = 0;
    for (const std::uint32_t offset : offsets) {
        Word known;
        std::memcpy(&known, shadow + offset, sizeof known);
        missing |= known ^ all_ones<Word>;
    }
    return missing == 0;
}

template <class Word>
void mark_lanes(std::byte* shadow, const LaneOffsets& offsets) {
    for (const std::uint32_t offset : offsets)
        std::memcpy(shadow + offset, &all_ones<Word>, sizeof(Word));
}

// Calls f.operator()<Word>(offset) for the words that make up an access.
template <class F>
bool for_words(std::uint32_t bytes, F&& f) {
    switch (bytes) {
        case 1:
            return f.template operator()<std::uint8_t>(0);
        case 2:
            return f.template operator()<std::uint16_t>(0);
        case 4:
            return f.template operator()<std::uint32_t>(0);
        default: {
            bool all = true;
            for (std::uint32_t at = 0; at < bytes; at += 8)
                all &= f.template operator()<std::uint64_t>(at);
            return all;
        }
    }
}

// All lanes at once; `kind`: how the offsets from `base` lie.
void check_initialised(WarpContext& context, const MemoryDetail& detail, Address base,
                       const LaneOffsets& offsets, PatternKind kind) {
    std::byte* const shadow = initialisation_of(base);
    if (shadow == nullptr) return;
    const bool writes = detail.kind != AccessKind::load;
    const bool reads = detail.kind != AccessKind::store && !detail.overwrites;
    const bool is_one_piece = kind != PatternKind::other;
    const Address begin = base + offsets[static_cast<std::size_t>(std::countr_zero(context.mask))];
    const std::uint32_t bytes =
        kind == PatternKind::contiguous ? detail.bytes * warp_size : detail.bytes;
    const bool is_good =
        !reads || (is_one_piece ? is_initialised(begin, bytes)
                                : for_words(bytes, [&]<class Word>(std::uint32_t at) {
                                      return are_initialised<Word>(shadow + at, offsets);
                                  }));
    if (!is_good) {
        if ((is_one_piece || !writes) && is_noted_uninitialised(context, detail)) return;
        for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            check_initialised(context, detail, base + offsets[static_cast<std::size_t>(lane)],
                              lane);
        }
    } else if (writes && is_one_piece) {
        mark_initialised(begin, bytes);
    } else if (writes) {
        for_words(bytes, [&]<class Word>(std::uint32_t at) {
            mark_lanes<Word>(shadow + at, offsets);
            return true;
        });
    }
}

}  // namespace

void check_global_access(WarpContext& context, const MemoryDetail& detail, const Located& located,
                         PatternKind kind) {
    if (context.execution->races == nullptr) return;
    const Address base = context.sites[detail.site].low;
    check_initialised(context, detail, base, located.offsets, kind);
    note_races(context, detail, context.mask, base, located.base, located.offsets.data(), kind);
    note_order(context, detail);
}

void check_global_access(WarpContext& context, const MemoryDetail& detail, Address address,
                         int lane) {
    if (context.execution->races == nullptr) return;
    check_initialised(context, detail, address, lane);
    const LaneOffsets zeros{};
    note_races(context, detail, 1u << lane, address, storage_of(address), zeros.data(),
               PatternKind::other);
    note_order(context, detail);
}

void check_shared_access(WarpContext& context, const MemoryDetail& detail,
                         const LaneOffsets& offsets, PatternKind kind) {
    const LaneValues values(context, detail, context.shared, offsets.data());
    context.hazards->access(
        access_of(context, detail, context.mask, 0, offsets.data(), kind, values));
    note_order(context, detail);
}

void check_whole_warp(WarpContext& context, const MemoryDetail& detail, std::byte* storage,
                      PatternKind kind, std::uint32_t first) {
    const std::uint32_t stride = kind == PatternKind::contiguous ? detail.bytes : 0;
    Located located;
    located.base = storage;
    for (std::uint32_t lane = 0; lane < warp_size; ++lane)
        located.offsets[lane] = first + lane * stride;
    if (storage == nullptr)
        check_shared_access(context, detail, located.offsets, kind);
    else
        check_global_access(context, detail, located, kind);
}

void check_shared_copy(WarpContext& context, const MemoryDetail& detail,
                       const LaneOffsets& offsets) {
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        context.hazards->copy(accessor(context, lane), offsets[static_cast<std::size_t>(lane)],
                              detail.bytes, detail.site);
    }
}

void synchronise_block(WarpContext& context) {
    context.hazards->synchronise();
    if (context.execution->races != nullptr)
        context.execution->races->barrier(context.block->order);
}

void execute_fence_check(Warp& warp, const Operation&) {
    WarpContext& context = context_of(warp);
    if (context.hazards == nullptr) return;
    context.hazards->fence();
    if (context.execution->races != nullptr) context.execution->races->fence(context.block->order);
}

void execute_copy_commit(Warp& warp, const Operation&) {
    WarpContext& context = context_of(warp);
    if (context.hazards == nullptr) return;
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1)
        context.hazards->commit_copies(accessor(context, std::countr_zero(rest)).thread);
}

void execute_copy_wait(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    if (context.hazards == nullptr) return;
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        const Accessor who = accessor(context, std::countr_zero(rest));
        if (operation.immediate == all_copies)
            context.hazards->wait_for_all_copies(who);
        else
            context.hazards->wait_for_copies(who, static_cast<std::uint32_t>(operation.immediate));
    }
}

}  // namespace emulator::simt
