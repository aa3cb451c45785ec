// Remembers launches: the counters since the last reset (counters.h) and the report
// (report.md).
#pragma once

#include <optional>
#include <string>

#include "emulator/runtime/api/programs.hpp"
#include "emulator/simt/state/gpu.hpp"
#include "timing/sm/launch_time.hpp"

namespace emulator::runtime {

// `prediction`: of its time; nothing where none was asked for.
void log_launch(const Launch& launch, const simt::LaunchRecord& record,
                const std::optional<timing::Prediction>& prediction);
void log_failure(const Launch& launch, const std::string& error);

}  // namespace emulator::runtime
