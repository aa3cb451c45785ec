// Whether lanes of a warp only wait for others.
#pragma once

#include <cstdint>

#include "emulator/simt/state/execution.hpp"

namespace emulator::simt {

// Of all lanes' registers of a function's frame.
std::uint64_t hash_registers(const Frame& frame);

}  // namespace emulator::simt
