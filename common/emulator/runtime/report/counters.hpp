// Launch records as counters under the names of the data format.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "emulator/simt/state/gpu.hpp"

namespace emulator::runtime {

using Counters = std::vector<std::pair<std::string, double>>;

// Adds the totals; of sites, lines and notes nothing is kept, the occupancy is that of the last launch.
void add_totals(simt::LaunchRecord& sum, const simt::LaunchRecord& launch);

Counters counters_of(const simt::LaunchRecord& totals, bool with_caches);

// Counters of one launch, for its report. Instructions are those of the machine code, where it is known; those of the PTX are named
// so: ptx_instructions, ptx_thread_instructions.
Counters reported_counters(const simt::LaunchRecord& launch, bool with_caches);

}  // namespace emulator::runtime
