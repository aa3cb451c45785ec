// A cache of 128-byte lines that are filled sector by sector, or whole: the L1 of one SM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/models/coalescing.hpp"
#include "emulator/models/warp_request.hpp"

namespace emulator {

// Fully associative with least-recently-used replacement. What decides the hits of this notebook's
// kernels is capacity, not sets; and the hash by which the hardware picks its sets is not public.
class SectoredCache {
  public:
    // `whole_lines`: a miss fetches all four sectors (Fermi; Kepler where it caches at all).
    // A cache of 0 bytes never hits; 8 MiB is the most.
    SectoredCache(std::size_t capacity_bytes, bool whole_lines);

    struct Loaded {
        std::size_t hit_sectors = 0;           // of the sectors asked for
        std::size_t fetched_sectors = 0;       // what the misses bring, ...
        std::span<const LineSectors> fetched;  // ... line by line: valid until the next load
    };
    // A request for distinct lines. Misses are filled at once: requests in flight count as hits.
    Loaded load(std::span<const LineSectors> lines);
    // Makes sectors present, as a store does where stores allocate.
    void fill(std::span<const LineSectors> lines) { (void)load(lines); }
    void clear();

  private:
    // Small numbers, so that the lines of an L1 stay in a first-level cache of the CPU.
    using Index = std::uint16_t;
    static constexpr Index none = 0xffff;
    struct Line {
        Address number = 0;
        Index newer = none, older = none;  // order of use
        Index next = none;                 // in the same bucket
        std::uint8_t present = 0;          // bit i: sector i
    };

    Line& used_now(Address number);
    Index find(Address number) const;
    Index newcomer(Address number);
    void make_newest(Index at);
    std::size_t bucket_of(Address number) const {
        return static_cast<std::size_t>((number * 0x9e3779b97f4a7c15u) >> shift_);
    }

    std::vector<Line> lines_;
    std::vector<LineSectors> fetched_;
    std::vector<Index> buckets_;
    int shift_ = 63;
    bool whole_lines_;
    Index used_ = 0;
    Index newest_ = none;
    Index oldest_ = none;
};

}  // namespace emulator
