// What the clocks of a launch show: when the warps of the recorded SM read them, and what follows from that for
// those of other SMs and of later waves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace timing {

struct ClockReads {
    // Cycles since the launch began, by block of the recorded SM, warp and reading.
    std::vector<std::vector<std::vector<double>>> cycles;
    std::uint64_t sms = 1;
    std::size_t resident_blocks = 1;  // on an SM
    double cycles_per_wave = 0;       // of blocks that were not recorded
    double launch_began = 0;          // cycles, of the device's clock
    double clock_hz = 1e9;

    // Cycles of the device's clock at the `read`-th reading of a warp, from 0. What a warp reads beyond those
    // of the recorded one goes on at the mean rate of these.
    double at(std::uint64_t block, std::size_t warp, std::size_t read) const;
};

}  // namespace timing
