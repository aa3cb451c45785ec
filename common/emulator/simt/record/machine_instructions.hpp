// Instructions of the machine code that a launch executes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/ptx/code/machine_counts.hpp"
#include "emulator/simt/record/counts.hpp"
#include "emulator/simt/state/program.hpp"

namespace emulator::simt {

// The code of the kernel and of the functions that it reaches, where these have code of their own; empty where the kernel's code
// is not known.
std::vector<ptx::MachineCounts> machine_counts_of(const Image& image);

std::optional<std::uint64_t> machine_instructions(const Image& image, const Counts& counts);

}  // namespace emulator::simt
