// mbarrier: a barrier in shared memory that counts arrivals and bytes of asynchronous copies.
// Its 64 bits are opaque to programs; the layout here is our own.
#pragma once

#include <cstdint>

#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {

struct MbarrierState {
    // 20 bits each, as the PTX ISA bounds the counts; copies may complete before they are expected.
    std::uint32_t expected = 0, pending = 0;
    std::int32_t bytes = 0;  // expected and not copied yet
    bool phase = false;      // the parity of the phase at hand

    static MbarrierState from_bits(std::uint64_t bits);
    std::uint64_t bits() const;
    // Ends the phase where nothing is missing; whether it does.
    bool finish_if_complete();
};

enum class MbarrierAction : std::uint8_t {
    init,
    invalidate,
    arrive,
    arrive_drop,
    arrive_expect,
    arrive_drop_expect,
    expect,
    complete,
    test,
    test_parity,
    pending_count,
    arrive_after_copies,
};

struct MbarrierDetail {
    MemoryDetail place;  // of the barrier
    bool is_generic = false;
    MbarrierAction action{};
    RegisterOffset result = no_register;  // state (64-bit lanes) or, of tests, a predicate
    RegisterOffset value = no_register;   // count, bytes, state or parity; none: a count of 1
    std::uint8_t value_bytes = 4;
};

void execute_mbarrier(Warp& warp, const Operation& operation);

// Offsets of the lanes' addresses in the block's shared memory. Each address is checked. `of_cluster`: addresses in that of
// other blocks may be among them (state/cluster.hpp).
void shared_offsets_of(WarpContext& context, const MemoryDetail& detail, bool is_generic,
                       LaneOffsets& offsets, bool of_cluster = false);
// The copy engine has written so many bytes for the barrier.
void complete_bytes(WarpContext& context, std::uint32_t barrier, std::uint32_t bytes);

}  // namespace emulator::simt
