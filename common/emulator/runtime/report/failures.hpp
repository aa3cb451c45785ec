// Calls of the API that failed: each is a line of the report, and whether the program noticed it decides the exit
// status of `lab emulate`.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/runtime/report/report.hpp"

namespace emulator::runtime {

// The API function that is being executed, and who called it.
Failure call_at_hand();

// The API function that is being executed fails. `function`: where it is one of another library.
void note_failure(cudaError_t code, const std::string& detail, const std::string& function = "");

// A hazard in the API function that is being executed, where these are checked.
void note_host_hazard(const std::string& text);

// The program has seen `code`: the runtime returned it as the last error, or it asked for its text.
void notice_failures(cudaError_t code);

// Numbers of the failures that the program has not noticed.
std::vector<std::uint64_t> unnoticed_failures();

}  // namespace emulator::runtime
