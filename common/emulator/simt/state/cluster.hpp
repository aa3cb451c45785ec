// Blocks of a cluster: their barrier, and addresses of each other's shared memory ("distributed shared memory").
//
// An address of shared::cluster is an offset in a block's shared memory, and above its 24 bits the rank of that block in the cluster
// plus one; 0 means the block's own. Addresses of shared::cta are such addresses, too.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "emulator/simt/state/execution.hpp"
#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {

constexpr unsigned rank_shift = 24;
constexpr std::uint32_t own_offset_mask = (1u << rank_shift) - 1;

struct ClusterState {
    std::vector<BlockState*> blocks;  // by rank
    std::uint32_t phases = 0;         // of barrier.cluster that are complete
    std::uint32_t arrived = 0;        // threads, in the phase at hand
};

inline std::uint32_t address_in_block(const WarpContext& context, std::uint32_t rank,
                                      std::uint32_t address) {
    const bool is_alone = context.block->cluster->blocks.size() == 1;
    return (address & own_offset_mask) | (is_alone ? 0 : (rank + 1) << rank_shift);
}

// Whether it is an address of a block of the cluster, by its rank.
inline bool names_block(const WarpContext& context, Address address) {
    const std::size_t blocks = context.block->cluster->blocks.size();
    const Address rank = address >> rank_shift;
    return blocks > 1 && rank != 0 && rank <= blocks;
}

// As long as it lives, handlers see the shared memory of the block that `address` means.
class InBlockOf {
  public:
    InBlockOf(WarpContext& context, std::uint32_t address)
        : context_(context), shared_(context.shared), hazards_(context.hazards) {
        if (!names_block(context, address)) return;
        const BlockState& block = *context.block->cluster->blocks[(address >> rank_shift) - 1];
        context.shared = block.shared;
        context.hazards = block.hazards.get();
    }
    ~InBlockOf() {
        context_.shared = shared_;
        context_.hazards = hazards_;
    }
    InBlockOf(const InBlockOf&) = delete;
    InBlockOf& operator=(const InBlockOf&) = delete;

  private:
    WarpContext& context_;
    std::byte* shared_;
    SharedMemoryHazards* hazards_;
};

inline bool reaches_other_blocks(const WarpContext& context, const LaneOffsets& addresses) {
    for (std::uint32_t rest = context.mask; rest != 0; rest &= rest - 1) {
        if (names_block(context, addresses[static_cast<std::size_t>(std::countr_zero(rest))]))
            return true;
    }
    return false;
}

// Calls `access(offsets)` for each block that the active lanes' addresses mean, with those lanes' mask.
template <class Access>
void for_blocks_of_cluster(WarpContext& context, const MemoryDetail& detail,
                           const LaneOffsets& addresses, const Access& access) {
    const std::uint32_t mask = context.mask;
    for (std::uint32_t rest = mask; rest != 0;) {
        const std::uint32_t first = addresses[static_cast<std::size_t>(std::countr_zero(rest))];
        std::uint32_t same = 0;
        LaneOffsets offsets;
        offsets.fill(first & own_offset_mask);
        for (std::uint32_t lanes = rest; lanes != 0; lanes &= lanes - 1) {
            const int lane = std::countr_zero(lanes);
            const std::uint32_t address = addresses[static_cast<std::size_t>(lane)];
            if (address >> rank_shift != first >> rank_shift) continue;
            same |= 1u << lane;
            check_shared(context, detail,
                         names_block(context, address) ? address & own_offset_mask : address, lane);
            offsets[static_cast<std::size_t>(lane)] = address & own_offset_mask;
        }
        rest &= ~same;
        const InBlockOf there(context, first);
        context.mask = same;
        access(offsets);
        context.mask = mask;
    }
}

}  // namespace emulator::simt
