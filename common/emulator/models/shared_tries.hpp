// Atomic operations of shared memory that are loops of a load and a compare-and-swap, of warps that run abreast.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "emulator/models/shared_banks.hpp"

namespace emulator {

// The updates of one warp.
struct SharedSwaps {
    std::array<std::uint32_t, warp_size> offsets{};  // of the lanes in `mask`
    std::uint32_t mask = 0;
};

// In each round all warps with lanes left try once: `tried` gets the warp's index and these lanes. Of the lanes that
// lanes_that_swap tells, those succeed whose word no other warp updates in this round; of several warps the one whose last
// success is longest ago.
//
// So an H200 counted 51 of 60 launches of one block that add floats, with 1 to 8 warps, 1 to 32 words and strides of 1 to
// 32 words; the others, all with 8 warps, have up to 6 % fewer tries. Of doubles and 64-bit integers 76 of 120 are equal.
// Warps of several blocks on one SM are further apart than that: 256 blocks of 8 warps on 8 words take 0.6 times as many.
void try_abreast(std::span<const SharedSwaps> warps, std::uint32_t bytes, BankLayout banks,
                 const std::function<void(std::size_t warp, std::uint32_t mask)>& tried);

}  // namespace emulator
