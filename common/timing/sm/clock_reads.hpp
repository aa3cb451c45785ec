// What the clocks of a launch show: when the warps of the recorded SM read them, and what follows from that for
// those of other SMs and of later waves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace timing {

struct WarpClock {
    std::vector<double>
        cycles;  // of its readings since the launch began, as far as it was recorded
    std::vector<std::uint64_t> instructions;  // executed by each reading, recorded or not
    std::uint64_t recorded = 0;               // instructions, ...
    double begin = 0, end = 0;                // ... and the cycles in which they were issued
};

struct ClockReads {
    std::vector<std::vector<WarpClock>> warps;  // of the recorded SM, by block
    std::uint64_t sms = 1;
    std::size_t resident_blocks = 1;  // on an SM
    double cycles_per_wave = 0;       // of blocks that were not recorded
    double launch_began = 0;          // cycles, of the device's clock
    double clock_hz = 1e9;

    // Cycles of the device's clock at the `read`-th reading of a warp, from 0. Behind what was recorded instructions
    // take the recorded ones' mean; readings that the recorded warp does not have go on at its readings' mean rate.
    double at(std::uint64_t block, std::size_t warp, std::size_t read) const;
};

}  // namespace timing
