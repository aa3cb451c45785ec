// How many machine registers hold values where a basic block begins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "timing/flow.hpp"

namespace timing {

// By block. `widths`: machine registers of each register of the function, which are numbered from `first`.
// Parameters and what is made once of these alone are operands in the constant bank, or in uniform registers.
std::vector<unsigned> live_registers(std::span<const FlowBlock> blocks, Register first,
                                     std::span<const std::uint8_t> widths);

}  // namespace timing
