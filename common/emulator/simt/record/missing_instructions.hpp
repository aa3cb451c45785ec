// Instructions of the machine code that the time model's program lacks: what ptxas makes of divisions, roots, powers and
// wide integers is more than its lowering has, by the operands of the launch.
#pragma once

#include <cstdint>

#include "timing/machine/trace.hpp"

namespace emulator::simt {

// `expected`: of the recorded warps, by the machine code. Where the program issues less than `expected` by a tenth or
// more, the instructions that stand for several stand for more; without such ones all arithmetic does.
void add_missing_instructions(double expected, timing::LaunchTrace& trace);

}  // namespace emulator::simt
