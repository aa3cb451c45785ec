// Calls of the API that failed: each is a line of the report, and whether the program noticed it decides the exit
// status of `lab emulate`.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

namespace emulator::runtime {

struct Failure {
    std::uint64_t number = 0;  // from 1
    cudaError_t code = cudaSuccess;
    std::string detail;  // what was asked for and what is allowed; empty where the code says it all
    std::string function;  // of the API; empty where it is not known
    // Addresses in the program's own file, innermost first: debug information tells their source lines.
    std::vector<std::uintptr_t> callers;
};

// The API function that is being executed, and who called it.
Failure call_at_hand();

// The API function that is being executed fails. `function`: where it is one of another library.
void note_failure(cudaError_t code, const std::string& detail, const std::string& function = "");

// The program has seen `code`: the runtime returned it as the last error, or it asked for its text.
void notice_failures(cudaError_t code);

// Numbers of the failures that the program has not noticed.
std::vector<std::uint64_t> unnoticed_failures();

}  // namespace emulator::runtime
