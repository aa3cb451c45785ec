// Loops whose rounds can be counted before they run, and that ptxas unrolls with a remainder.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/ptx/code/machine_code.hpp"
#include "emulator/ptx/parse/module.hpp"

namespace emulator::ptx {

// do { ... counter += step; } while (counter < bound).
struct Loop {
    std::uint32_t head = 0, latch = 0;  // first instruction, and the branch back to it
    std::uint32_t test = 0;             // the setp
    std::uint32_t counter = 0;          // a register
    Operand bound;
    std::int64_t step = 0;
    unsigned factor = 0;
};

// The loop that the branch at `latch` closes; nothing where it is none of these.
std::optional<Loop> counted_loop(const Function& function, const std::vector<MachineAccess>& code,
                                 std::uint32_t latch);

}  // namespace emulator::ptx
