// Copies between global and shared memory that the SM makes beside the threads: cp.async of a few bytes a
// lane, and bulk copies of the copy engine. They are made at once: a program that waits as it must
// cannot tell.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/simt/state/cluster.hpp"
#include "emulator/simt/state/launch.hpp"
#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {

// cp.async: 4, 8 or 16 bytes a lane from global to shared memory.
struct CopyDetail {
    MemoryDetail from, to;
    bool to_is_generic = false;
    // Bytes that are read, zeros follow; or a predicate of lanes that read nothing.
    RegisterOffset read_bytes = no_register;  // 32-bit lanes
    RegisterOffset ignore = no_register;
    bool ignore_negated = false;
};
void execute_copy(Warp& warp, const Operation& operation);

constexpr unsigned max_tensor_rank = 5;

// cp.async.bulk and cp.async.bulk.tensor. The shared side and the barrier are offsets in shared memory.
struct BulkCopyDetail {
    MemoryDetail global;  // of a tensor: the tensor map
    MemoryDetail shared, barrier;
    bool shared_is_generic = false, barrier_is_generic = false;
    bool to_shared = true;               // else from shared to global memory
    bool from_own_shared = false;        // `global` is the block's own shared memory
    RegisterOffset bytes = no_register;  // 32-bit lanes
    RegisterOffset blocks =
        no_register;    // 16-bit lanes: ranks in the cluster, by bit; none: one block
    unsigned rank = 0;  // of a tensor; 0: plain bytes
    RegisterOffset coordinates[max_tensor_rank] = {};  // 32-bit lanes, innermost first
};
// The operands of each lane.
struct BulkOperands {
    std::array<Address, warp_size> global;
    LaneOffsets shared{}, barrier{};
    BulkOperands(WarpContext& context, const BulkCopyDetail& detail);
};
// Calls `copy(shared, barrier, is_first)` for each block that the lane's copy goes to, by addresses in shared memory.
template <class Copy>
void for_destinations(WarpContext& context, const BulkCopyDetail& detail, int lane,
                      std::uint32_t shared, std::uint32_t barrier, const Copy& copy) {
    if (detail.blocks == no_register) return copy(shared, barrier, true);
    std::uint32_t blocks = context.lanes<std::uint16_t>(detail.blocks)[lane];
    const std::size_t size = context.block->cluster->blocks.size();
    if (blocks >> size != 0)
        throw fault_at(context, FaultKind::illegal_instruction, detail.global.instruction, lane,
                       "a multicast copy to a block beyond its cluster of " + std::to_string(size));
    for (bool is_first = true; blocks != 0; blocks &= blocks - 1, is_first = false) {
        const auto rank = static_cast<std::uint32_t>(std::countr_zero(blocks));
        copy(address_in_block(context, rank, shared), address_in_block(context, rank, barrier),
             is_first);
    }
}
void execute_bulk_copy(Warp& warp, const Operation& operation);
void execute_tensor_copy(Warp& warp, const Operation& operation);

// The copy engine's reads and writes of global memory: the L2's and DRAM's traffic.
void queue_bulk(WarpContext& context, AccessKind kind, Address begin, std::uint64_t bytes);
// Shared memory that it writes or reads, for the checks of hazards.
void note_shared(WarpContext& context, const BulkCopyDetail& detail, int lane, std::uint32_t offset,
                 std::uint32_t bytes);

}  // namespace emulator::simt
