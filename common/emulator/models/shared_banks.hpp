// The cost of one shared-memory access of a warp: passes through the banks.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/models/warp_request.hpp"

namespace emulator {

// 32 banks of 4 bytes on every generation but Kepler, whose banks deliver 8 bytes. All are powers of two.
struct BankLayout {
    std::uint32_t count = 32;
    std::uint32_t width_bytes = 4;  // that a bank delivers in a pass
    // Consecutive pieces of this size lie in consecutive banks. Kepler by default: 4, and words 32 apart in aligned 256 bytes
    // share what their bank delivers (CUDA C Programming Guide, compute capability 3.x, 32-bit mode). In its eight-byte mode: 8.
    std::uint32_t interleave_bytes = 4;

    // As after cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte): nothing changes where banks are 4 bytes wide.
    BankLayout in_widest_mode() const { return {count, width_bytes, width_bytes}; }
};

struct BankPasses {
    std::uint32_t wavefronts = 0;
    std::uint32_t conflicts = 0;  // wavefronts beyond one for each group of lanes

    bool operator==(const BankPasses&) const = default;
};

// In one pass ("wavefront") each bank serves one word of its width, to any number of lanes (broadcast, multicast):
// a group of lanes takes as many passes as the most distinct words that one bank has to serve. The
// group is the warp for accesses of up to a bank's width, half a warp for twice that, a quarter for
// four times. Two neighbouring groups become one when the access is a load and, over the whole
// warp, lanes k and k ^ 1 read the same element wherever both are active, or lanes k and k ^ 2 do.
//
// So an H200 counted each of 2588 patterns of 8 and 16 bytes; 598 of them are stored in
// data/nvidia-h200/counters/shared_bank_patterns.csv. For other generations with banks of 4 bytes
// it is an assumption, and so is the same rule relative to the width of Kepler's banks.
BankPasses bank_passes(const WarpRequest& request, AccessKind kind, BankLayout banks);

// The work of an atomic operation of 4 bytes in the banks.
enum class BankAtomic : std::uint8_t {
    update,            // add, min, and, exchange, ...
    compare_and_swap,  // each pass twice
    count,             // an add of 1 without a result: lanes of one word go together
    // One try of a loop of loads and compare-and-swaps: two passes, whatever the lanes ask for; of 8 bytes two for each
    // half of the warp.
    spin,
};

// Lanes that update one word go one after another, so a bank takes as many passes as lanes update words
// of it. An H200 counted each of 525 patterns so (data/nvidia-h200/counters/shared_atomic_patterns.csv).
BankPasses atomic_bank_passes(const WarpRequest& request, BankAtomic operation, BankLayout banks);

// Those of the lanes in `mask` whose try of such a loop may succeed: of each bank's, the first; of 8 bytes, in each half of
// the warp.
std::uint32_t lanes_that_swap(std::span<const std::uint32_t, warp_size> offsets, std::uint32_t mask,
                              BankLayout banks, std::uint32_t bytes = 4);

}  // namespace emulator
