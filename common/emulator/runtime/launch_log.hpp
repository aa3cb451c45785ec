// What is remembered of launches: the counters since the last reset (counters.h) and the report
// (report.md).
#pragma once

#include <string>

#include "emulator/runtime/launches.hpp"
#include "emulator/simt/gpu.hpp"

namespace emulator::runtime {

void log_launch(const Launch& launch, const simt::LaunchRecord& record);
void log_failure(const Launch& launch, const std::string& error);

}  // namespace emulator::runtime
