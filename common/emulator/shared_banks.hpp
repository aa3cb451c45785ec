// What one shared-memory access of a warp costs: passes through the banks.
#pragma once

#include <cstdint>

#include "emulator/warp_request.hpp"

namespace emulator {

// 32 banks of 4 bytes on every generation; Kepler can be set to 8 bytes.
struct BankLayout {
    std::uint32_t count = 32;
    std::uint32_t width_bytes = 4;
};

// Passes ("wavefronts") that the access takes. In one pass each bank serves one word, to any number
// of lanes (broadcast, multicast): a group of lanes takes as many passes as the most distinct words
// that one bank has to serve. The group is the warp for accesses of a bank's width, half a warp for
// twice that, a quarter for four times, and the groups' passes add up; two neighbouring groups whose
// words together conflict nowhere share one pass. So an H200 counts (the validation set's strides,
// multicasts and gathers). A group without an active lane takes none.
std::uint32_t wavefronts(const WarpRequest& request, BankLayout banks);

// The fewest passes for as many distinct words, of the warp, or of each half for accesses wider than
// two banks; what is beyond them is bank conflicts. 32 different elements of 4, 8 and 16 bytes take 1,
// 2 and 4.
std::uint32_t ideal_wavefronts(const WarpRequest& request, BankLayout banks);

}  // namespace emulator
