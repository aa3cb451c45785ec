// Addresses of a request whose lanes lie anywhere, sorted by vector instructions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "emulator/models/memory/coalescing.hpp"

namespace emulator::simt {

class SortedOffsets {
  public:
    using Keys = std::array<std::uint32_t, warp_size>;

    // Offsets from `base`, less than 2^31 bytes; those of inactive lanes are the first active one's.
    SortedOffsets(Address base, const Keys& from_base);

    // How many addresses differ, and how many sectors and lines hold one.
    struct Distinct {
        std::uint32_t addresses, sectors, lines;
    };
    const Distinct& distinct() const { return distinct_; }
    // The distinct lines and their sectors, ascending, into an array of `warp_size`; returns how many. Aligned accesses
    // of at most a sector touch the sector of their address alone.
    std::size_t write_lines(LineSectors* lines) const;

  private:
    Address line_;  // keys count from here on
    Keys keys_;
    Distinct distinct_;
};

}  // namespace emulator::simt
