// One access of a warp, as the transaction models take it.
#pragma once

#include <cstdint>
#include <span>

namespace emulator {

using Address = std::uint64_t;

constexpr int warp_size = 32;

enum class AccessKind : std::uint8_t { load, store, atomic };

struct WarpRequest {
    std::span<const Address, warp_size> addresses;  // of inactive lanes: anything
    std::uint32_t active_mask = 0;                  // bit i: lane i takes part
    std::uint32_t bytes_per_lane = 0;
};

}  // namespace emulator
