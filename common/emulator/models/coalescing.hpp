// What one global-memory access of a warp costs: the rule that every generation since Fermi obeys.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "emulator/models/warp_request.hpp"

namespace emulator {

constexpr std::uint32_t sector_bytes = 32;
constexpr std::uint32_t line_bytes = 128;

struct Transactions {
    std::uint32_t sectors = 0;         // distinct 32-byte sectors touched
    std::uint32_t lines = 0;           // distinct 128-byte lines touched
    std::uint32_t distinct_bytes = 0;  // size of the union of the lanes' bytes
    std::uint32_t lane_bytes = 0;      // active lanes x bytes: nvprof's numerator
};

// The distinct sectors themselves, ascending: at most two a lane.
struct SectorList {
    std::array<Address, 2 * warp_size> begin;  // multiples of 32
    std::size_t count = 0;
    std::span<const Address> span() const { return {begin.data(), count}; }
};
SectorList sectors_of(const WarpRequest& request);

// The order of the lanes does not matter, nor does a shift of all addresses by a multiple of 128.
Transactions coalesce(const WarpRequest& request);

}  // namespace emulator
