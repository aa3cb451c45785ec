// The words in which the hooks, the tracer and the models speak of a memory access.
#pragma once

#include <cstdint>

#include "emulator/cuda_on_cpu.h"
#include "emulator/models/access_counters.hpp"
#include "emulator/models/warp_request.hpp"

namespace emulator {

// constant: __constant__ variables and tables, which the constant cache serves; not counted.
enum class Space : std::uint8_t { global, shared, constant };

}  // namespace emulator
