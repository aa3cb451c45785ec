// How many machine registers hold values where a basic block begins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "timing/trace.hpp"

namespace timing {

struct FlowBlock {
    std::span<const Instruction> instructions;
    std::vector<bool>
        varies;  // by instruction: from thread to thread, whatever it reads of registers
    const Instruction* control = nullptr;  // what ends it, if anything
    std::vector<std::uint32_t> successors;
};

// By block. `widths`: machine registers of each register of the function, which are numbered from `first`.
// Parameters and what is made once of these alone are operands in the constant bank, or in uniform registers.
std::vector<unsigned> live_registers(std::span<const FlowBlock> blocks, Register first,
                                     std::span<const std::uint8_t> widths);

}  // namespace timing
