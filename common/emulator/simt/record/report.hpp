// From what was counted to the record of a launch.
#pragma once

#include <memory>
#include <vector>

#include "emulator/simt/record/counts.hpp"

namespace emulator::simt {

LaunchRecord record_of(const Launch& launch, const Counts& counts);
// The output of kernels, and the hazards that were found.
void add_texts(const std::vector<std::unique_ptr<Worker>>& workers, LaunchRecord& record);

}  // namespace emulator::simt
