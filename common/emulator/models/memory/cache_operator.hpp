// The cache operator of a load or store (ld.ca, ld.cg, ld.cs, ld.global.nc).
#pragma once

#include <cstdint>

namespace emulator {

enum class CacheOperator : std::uint8_t { standard, all_levels, l2_only, streaming, read_only };

}  // namespace emulator
