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
    // A cache of 0 bytes never hits.
    SectoredCache(std::size_t capacity_bytes, bool whole_lines);

    struct Loaded {
        std::size_t hits = 0;              // of the sectors asked for
        std::span<const Address> fetched;  // what the misses bring: valid until the next load
    };
    // A request for distinct sectors (addresses of their first bytes), ascending. Misses are filled at
    // once: requests in flight count as hits.
    Loaded load(std::span<const Address> sectors);
    // Makes sectors present, as a store does where stores allocate.
    void fill(std::span<const Address> sectors) { (void)load(sectors); }
    void clear();

  private:
    static constexpr std::uint32_t none = 0xffffffffu;

    struct Line {
        Address number = 0;
        std::uint32_t newer = none, older = none;  // order of use
        std::uint32_t next = none;                 // in the same bucket
        std::uint8_t present = 0;                  // bit i: sector i
    };

    std::uint8_t& present_sectors_of(Address line);
    std::uint32_t find(Address number) const;
    std::uint32_t replace_oldest(Address number);
    void make_newest(std::uint32_t line);
    std::uint32_t& bucket(Address number) {
        return buckets_[(number * 0x9e3779b97f4a7c15u) >> shift_];
    }

    std::vector<Line> lines_;
    std::vector<Address> fetched_;
    std::vector<std::uint32_t> buckets_;
    int shift_ = 63;
    bool whole_lines_;
    std::uint32_t used_ = 0;
    std::uint32_t newest_ = none;
    std::uint32_t oldest_ = none;
};

}  // namespace emulator
