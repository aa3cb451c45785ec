// Lines of EMULATED_GPU_REPORT (report.md) about launches, and the last one, about the program.
#pragma once

#include <optional>
#include <string>

#include "emulator/runtime/api/programs.hpp"
#include "emulator/simt/state/gpu.hpp"
#include "timing/sm/launch_time.hpp"

namespace emulator::runtime {

void report_launch(const Launch& launch, const simt::LaunchRecord& record,
                   const std::optional<timing::Prediction>& prediction);
// The launch was started, and failed.
void report_failure(const Launch& launch, const std::string& error);

}  // namespace emulator::runtime
