// EMULATED_GPU_REPORT: a JSON object a line (report.md). Lines of launches: launch_report.hpp.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/runtime/report/json.hpp"

namespace emulator::runtime {

// A call of the API that failed, or in which a hazard was found.
struct Failure {
    std::uint64_t number = 0;  // from 1
    cudaError_t code = cudaSuccess;
    std::string detail;  // what was asked for and what is allowed; empty where the code says it all
    std::string function;  // of the API; empty where it is not known
    // Addresses in the program's own file, innermost first: debug information tells their source lines.
    std::vector<std::uintptr_t> callers;
};

bool is_reported();
// A line of the report. is_reported() has to be true.
void write_report(const JsonLine& line);

void report_failed_call(const Failure& failure);
// Outside of launches: a line of standard error where there is no report. `call`: where it was found, if known.
void report_hazard(const std::string& text, const Failure& call);
// On the program as a whole, once.
void report_note(const std::string& text);

}  // namespace emulator::runtime
