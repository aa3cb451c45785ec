// How many registers of a thread ptxas leaves to loads that it issues before they are needed.
#pragma once

#include <vector>

#include "timing/machine/trace.hpp"

namespace timing {

// An SM has this many for all threads that it can hold. ptxas spends more to keep parameters in a loop, but not in kernels
// that get along with as many.
constexpr unsigned few_registers = 32;

// `registers`: that ptxas allots to a thread. `live`: with values that live where these instructions begin.
unsigned free_registers(unsigned registers, unsigned live, const std::vector<Instruction>& line);

}  // namespace timing
