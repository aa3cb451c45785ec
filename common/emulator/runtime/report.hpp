// EMULATED_GPU_REPORT: a JSON object a launch (report.md).
#pragma once

#include <string>

#include "emulator/runtime/launches.hpp"
#include "emulator/simt/gpu.hpp"

namespace emulator::runtime {

void report_launch(const Launch& launch, const simt::LaunchRecord& record);
void report_failure(const Launch& launch, const std::string& error);

}  // namespace emulator::runtime
