// The order in which ptxas issues the instructions of a basic block: loads, and what their addresses
// need, as early as dependences and registers allow, so that their latencies overlap.
#pragma once

#include <vector>

#include "timing/machine/trace.hpp"

namespace timing {

// Gives each value of a basic block a register of its own, as ptxas does, numbered from `first_free`; the last
// value of a register stays in it. Returns the first number that is free then.
Register rename(std::vector<Instruction>& block, Register first_free);

// `free_registers`: how many loaded values a thread can hold at a time beyond what is live anyway.
std::vector<Instruction> reorder(std::vector<Instruction> block, unsigned free_registers);

}  // namespace timing
