// The caches behind the requests of a launch: the L1 of the SM at hand, and which sectors the whole
// launch has asked L2 and DRAM for.
//
// Modelled: blocks go to SMs in turn; an SM's blocks run one after another through its L1, the warps
// of a block side by side, a request each in turn. L2 and DRAM are modelled by what must come from
// them at least once. Not modelled: which blocks really share an SM, timing, requests in flight
// between SMs, nor, but for L2Reuse, the capacity of the L2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/models/architecture.hpp"
#include "emulator/models/memory/access_counters.hpp"
#include "emulator/models/memory/coalescing.hpp"
#include "emulator/models/memory/l1_cache.hpp"
#include "emulator/models/memory/l2_reuse.hpp"
#include "emulator/models/memory/line_updates.hpp"
#include "emulator/models/memory/load_policy.hpp"
#include "emulator/models/memory/partial_sectors.hpp"
#include "emulator/models/memory/sector_set.hpp"
#include "emulator/models/memory/slice_loads.hpp"
#include "emulator/models/warp_request.hpp"

namespace emulator {

struct MemoryCounters {
    std::uint64_t l1_hit_sectors = 0;
    // Sectors that L2 is asked for: each L1 miss at most; but requests in flight to one sector merge,
    // so that no more is certain than once a sector.
    std::uint64_t l2_read_sectors_most = 0;
    // Each sector of each store at most; neighbouring stores to parts of one sector may merge.
    std::uint64_t l2_write_sectors_most = 0;

    bool operator==(const MemoryCounters&) const = default;
    void add(const MemoryCounters& other) {
        l1_hit_sectors += other.l1_hit_sectors;
        l2_read_sectors_most += other.l2_read_sectors_most;
        l2_write_sectors_most += other.l2_write_sectors_most;
    }
};

class MemoryModel {
  public:
    // `l2_slices`: 1 where it is not asked how evenly stores load them; `resident_blocks`: as L2Reuse has it.
    MemoryModel(const Architecture& gpu, std::size_t l1_bytes, unsigned l2_slices = 1,
                std::uint64_t resident_blocks = 0);

    // The blocks that follow run on another SM: its L1 is empty at the launch's start.
    void begin_sm();
    // Requests that are served from now on are of block number `block` of `blocks`.
    void at_block(std::uint64_t block, std::uint64_t blocks) {
        slice_loads_.at_block(block, blocks);
        l2_reuse_.at_block(block);
    }

    // The next request of a warp, in its program order, for distinct lines. Hits are added to *hits when the
    // request is served; without `hits` they are not counted (textures', which the counters of loads leave out).
    void queue(std::size_t warp, AccessKind kind, LoadPath path, std::span<const LineSectors> lines,
               std::uint64_t* hits);
    // A fence of GPU scope or wider: invalidates the L1 where the architecture does so.
    void queue_fence(std::size_t warp);
    // The part of a queued store that is less than a sector.
    void note_partial(const PartialSector& part) { partial_sectors_.insert(part); }
    // Serves what is queued, a request of each warp in turn.
    void drain();

    const MemoryCounters& counters() const { return counters_; }
    // Sectors that L2 is asked for, and those that are written to it, at least once.
    const SectorSet& read_sectors() const { return read_sectors_; }
    const SectorSet& written_sectors() const { return written_sectors_; }
    const PartialSectors& partial_sectors() const { return partial_sectors_; }
    const SliceLoads& slice_loads() const { return slice_loads_; }
    const L2Reuse& l2_reuse() const { return l2_reuse_; }
    const LineUpdates& line_updates() const { return line_updates_; }

  private:
    struct Request {
        AccessKind kind;
        LoadPath path;
        std::uint32_t first, count;  // of Queue::lines; no lines: a fence
        std::uint64_t* hits;
    };
    struct Queue {
        std::vector<Request> requests;
        std::vector<LineSectors> lines;
    };
    void serve(const Request& request, std::span<const LineSectors> lines);
    void read_from_l2(std::span<const LineSectors> lines);

    SectoredCache l1_;
    SectoredCache read_only_cache_;
    bool stores_allocate_;
    bool fence_invalidates_;
    std::vector<Queue> queues_;
    MemoryCounters counters_;
    SectorSet read_sectors_;
    SectorSet written_sectors_;
    PartialSectors partial_sectors_;
    SliceLoads slice_loads_;
    L2Reuse l2_reuse_;
    LineUpdates line_updates_;
};

}  // namespace emulator
