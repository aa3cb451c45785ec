// From what workers counted to the record of a launch.
#pragma once

#include <memory>
#include <vector>

#include "emulator/simt/grid_runner.hpp"

namespace emulator::simt {

LaunchRecord record_of(const Launch& launch, const std::vector<std::unique_ptr<Worker>>& workers);

}  // namespace emulator::simt
