// Instructions that ptxas combines into one: sums that take in products and shifts, and constants that are operands.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/ptx/parse/module.hpp"
#include "timing/machine/trace.hpp"

namespace timing {

// Combines within a basic block and its lowered instructions, in the same order: an instruction that another one does has no slots left.
void combine(const emulator::ptx::Function& function, std::span<const std::uint32_t> block,
             std::vector<Instruction>& lowered);

}  // namespace timing
