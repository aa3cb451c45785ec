// What the time model needs of a launch, as bytes: its recorded instructions and accesses, and its facts. With these a
// launch is predicted again without its program (scripts/timing_records.py).
//
// Numbers are LEB128, signed ones zigzag; what is not whole is a float. A warp's fields lie one behind another by field,
// and lines are differences, so that a compressor finds that warps do alike. The last lines of source are left out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "timing/machine/trace.hpp"

namespace timing {

struct LaunchInput {
    std::string kernel;
    LaunchTrace trace;
    LaunchFacts facts;
};

std::vector<std::uint8_t> to_bytes(const LaunchInput& launch);
// Takes the first launch off. Throws std::runtime_error where the bytes are none.
LaunchInput take_launch(std::span<const std::uint8_t>& bytes);

}  // namespace timing
