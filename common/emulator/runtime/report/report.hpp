// EMULATED_GPU_REPORT: a JSON object a launch (report.md).
#pragma once

#include <optional>
#include <string>

#include "emulator/runtime/api/launches.hpp"
#include "emulator/runtime/report/failures.hpp"
#include "emulator/simt/state/gpu.hpp"
#include "timing/sm/launch_time.hpp"

namespace emulator::runtime {

void report_launch(const Launch& launch, const simt::LaunchRecord& record,
                   const std::optional<timing::Prediction>& prediction);
// Of a launch that was started.
void report_failure(const Launch& launch, const std::string& error);
void report_failed_call(const Failure& failure);
// Outside of launches: a line of standard error where there is no report. `call`: where it was found, if known.
void report_hazard(const std::string& text, const Failure& call);
// On the program as a whole, once.
void report_note(const std::string& text);

}  // namespace emulator::runtime
