// Hazards in what the program does with memory between launches: lines of the report, where they are asked for.
#pragma once

#include <cstddef>

namespace emulator::runtime {

// Bytes that nothing has written are copied to the host.
void check_copied_to_host(const void* from, std::size_t bytes);
// Allocations that are left.
void report_leaks();

}  // namespace emulator::runtime
