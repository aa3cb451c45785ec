// The cost of one global-memory access of a warp: the rule that every generation since Fermi obeys.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "emulator/models/warp_request.hpp"

namespace emulator {

constexpr std::uint32_t sector_bytes = 32;
constexpr std::uint32_t line_bytes = 128;
constexpr std::uint32_t sectors_per_line = line_bytes / sector_bytes;

struct Transactions {
    std::uint32_t sectors = 0;         // distinct 32-byte sectors touched
    std::uint32_t lines = 0;           // distinct 128-byte lines touched
    std::uint32_t distinct_bytes = 0;  // size of the union of the lanes' bytes
    std::uint32_t lane_bytes = 0;      // active lanes x bytes: nvprof's numerator
};

// A 128-byte line and which of its sectors a request touches: bit i of `sectors` is bytes 32 i to 32 i + 31.
class LineSectors {
  public:
    LineSectors() = default;
    LineSectors(Address line, unsigned sectors) : packed_(line | sectors) {}
    Address line() const { return packed_ & ~Address{line_bytes - 1}; }  // of its first byte
    unsigned sectors() const { return static_cast<unsigned>(packed_ & 0xf); }
    unsigned count() const { return static_cast<unsigned>(std::popcount(sectors())); }
    // The same sectors of a line further on, by a multiple of 128 bytes (modulo 2^64).
    LineSectors shifted(Address bytes) const { return LineSectors(packed_ + bytes, 0); }
    bool operator==(const LineSectors&) const = default;

  private:
    Address packed_ = 0;
};

// The distinct lines of a request, ascending: at most two a lane.
struct LineList {
    std::array<LineSectors, 2 * warp_size> line;
    std::size_t count = 0;
    std::span<const LineSectors> span() const { return {line.data(), count}; }
};
LineList lines_of(const WarpRequest& request);

// The sectors that atomic operations of global memory take: lanes that update one address go one after
// another, each time with all other sectors' next lanes. So a sector counts as often as the most lanes that
// update one address in it.
std::uint32_t atomic_sectors(const WarpRequest& request);

// The order of the lanes does not matter, nor does a shift of all addresses by a multiple of 128.
Transactions coalesce(const WarpRequest& request);

}  // namespace emulator
