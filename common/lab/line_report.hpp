// The report of --report=lines: what each access in the kernel's source costs.
#pragma once

#include "emulator/gpu.hpp"

namespace lab {

// A table on standard output, a row an access site, in the order of the source lines.
void print_line_report(const emulator::LaunchCounters& launched);

}  // namespace lab
