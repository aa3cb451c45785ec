// Feeds the hazard models, where a program asks for the checks.
#pragma once

#include "emulator/simt/record/hazard_texts.hpp"
#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {

// Global memory: reads of bytes that nothing has written, and races. Before the access is made.
void check_global_access(WarpContext& context, const MemoryDetail& detail, const Located& located,
                         PatternKind kind);
void check_global_access(WarpContext& context, const MemoryDetail& detail, Address address,
                         int lane);
// Shared memory: races and reads of uninitialised words.
void check_shared_access(WarpContext& context, const MemoryDetail& detail,
                         const LaneOffsets& offsets, PatternKind kind = PatternKind::other);
// Checks a whole warp, contiguous or uniform: `first` is the first lane's offset from `storage`; null where it is shared memory.
void check_whole_warp(WarpContext& context, const MemoryDetail& detail, std::byte* storage,
                      PatternKind kind, std::uint32_t first);
// cp.async to shared memory.
void check_shared_copy(WarpContext& context, const MemoryDetail& detail,
                       const LaneOffsets& offsets);
// The order by a phase of an mbarrier.
void synchronise_block(WarpContext& context);

// Handlers of what has no effect but on hazards; only where they are checked.
void execute_fence_check(Warp& warp, const Operation& operation);
void execute_copy_commit(Warp& warp, const Operation& operation);
void execute_copy_wait(Warp& warp,
                       const Operation& operation);  // the immediate: groups; or all_copies
constexpr std::uint64_t all_copies = ~std::uint64_t{0};

}  // namespace emulator::simt
