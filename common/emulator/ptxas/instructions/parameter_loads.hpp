// Parameters that a loop loads again. A GPU with uniform registers has them in registers while it uses them: ptxas
// loads them before a loop for what every round executes, but within the loop for what a round may skip.
#pragma once

#include <span>
#include <vector>

#include "emulator/ptxas/instructions/flow.hpp"

namespace timing {

// By block: the parameters that are loaded where it begins. `parameters`: by register of the function, numbered
// from `first`, whether it is one.
std::vector<std::vector<Register>> parameter_loads(std::span<const FlowBlock> blocks,
                                                   Register first,
                                                   const std::vector<bool>& parameters);

}  // namespace timing
