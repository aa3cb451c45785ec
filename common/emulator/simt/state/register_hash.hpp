// A hash of registers: with the same ones, a warp only waits for others.
#pragma once

#include <cstdint>

#include "emulator/simt/state/execution.hpp"

namespace emulator::simt {

// A hash of all lanes' registers of a function's frame.
std::uint64_t hash_registers(const Frame& frame);

}  // namespace emulator::simt
