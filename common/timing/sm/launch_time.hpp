// The time of a whole launch from the schedule of one of its SMs.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "timing/machine/machine.hpp"
#include "timing/machine/trace.hpp"
#include "timing/sm/clock_reads.hpp"
#include "timing/sm/sm_simulation.hpp"

namespace timing {

// What a launch cannot be faster than.
enum class Bound : std::uint8_t {
    launch,
    issue,
    fp32,
    fp64,
    integer,
    sfu,
    tensor,
    lsu,
    shared,
    l1,
    l2,
    dram,
    atomics,
    latency,  // none of them: dependences, too few warps, barriers
};
constexpr std::size_t bound_count = 14;
std::string_view text(Bound bound);  // "dram"

struct Prediction {
    double seconds = 0;
    Bound bound{};
    std::array<double, bound_count> shares{};  // of each limit, 0 to 1; of latency 0
    std::vector<std::array<double, stall_count>>
        stalls;  // warp cycles of the SM, by Program::lines
    ClockReads clocks;
};

// How many random draws predict a launch: more where fewer instructions were recorded, as one draw then says less.
unsigned draws_of(const LaunchTrace& trace);

Prediction predict(const Machine& machine, const LaunchTrace& trace, const LaunchFacts& facts);

}  // namespace timing
