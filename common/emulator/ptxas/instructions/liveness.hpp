// How many machine registers hold values where a basic block begins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/ptxas/instructions/flow.hpp"

namespace timing {

// By block. `widths`: machine registers of each register of the function, which are numbered from `first`.
// Values that are the same for all threads of a block are in uniform registers, if there are any; parameters of a kernel are
// operands in the constant bank.
std::vector<unsigned> live_registers(std::span<const FlowBlock> blocks, Register first,
                                     std::span<const std::uint8_t> widths,
                                     bool has_uniform_registers);

}  // namespace timing
