// The cost of warp requests, and sums of it.
#pragma once

#include <cstdint>

namespace emulator {

// The cost of one warp request, and sums of it.
struct AccessCounters {
    std::uint64_t requests = 0;
    std::uint64_t sectors = 0;         // distinct 32-byte sectors of each request
    std::uint64_t lines = 0;           // distinct 128-byte lines of each request
    std::uint64_t distinct_bytes = 0;  // size of the union of the lanes' bytes
    std::uint64_t lane_bytes = 0;      // active lanes x bytes
    std::uint64_t moved_bytes = 0;     // in the fetch unit: 32 x sectors, or 128 x lines
    std::uint64_t l1_hit_sectors = 0;  // (with the caches modelled)
    std::uint64_t wavefronts = 0;      // passes through the banks (shared memory)
    std::uint64_t bank_conflicts = 0;  // those beyond the fewest

    bool operator==(const AccessCounters&) const = default;
    void add(const AccessCounters& other, std::uint64_t times = 1) {
        requests += times * other.requests;
        sectors += times * other.sectors;
        lines += times * other.lines;
        distinct_bytes += times * other.distinct_bytes;
        lane_bytes += times * other.lane_bytes;
        moved_bytes += times * other.moved_bytes;
        l1_hit_sectors += times * other.l1_hit_sectors;
        wavefronts += times * other.wavefronts;
        bank_conflicts += times * other.bank_conflicts;
    }
};

}  // namespace emulator
