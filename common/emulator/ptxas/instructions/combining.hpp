// What ptxas makes one instruction of several: sums that take in products and shifts, and constants that are operands.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/ptx/parse/module.hpp"
#include "timing/machine/trace.hpp"

namespace timing {

// Of a basic block and what its instructions were lowered to, in the same order: what another one does has no slots left.
void combine(const emulator::ptx::Function& function, std::span<const std::uint32_t> block,
             std::vector<Instruction>& lowered);

}  // namespace timing
