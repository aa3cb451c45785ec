// Hazards in what the program does with memory between launches: lines of the report, where they are asked for.
#pragma once

#include <cstddef>
#include <string>

namespace emulator::runtime {

// Of the API function that is being executed.
void note_host_hazard(const std::string& text);
// Bytes that nothing has written are copied to the host.
void check_copied_to_host(const void* from, std::size_t bytes);
// Allocations that are left.
void report_leaks();

}  // namespace emulator::runtime
