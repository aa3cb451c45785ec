// Theoretical occupancy: how many blocks of a launch an SM can hold at a time, and what limits them.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "emulator/models/architecture.hpp"

namespace emulator {

enum class OccupancyLimit { warps, blocks, registers, shared_memory };
std::string_view text(OccupancyLimit limit);

struct Occupancy {
    unsigned blocks = 0;  // resident on one SM; 0: not even one fits
    unsigned warps = 0;
    double percent = 0;      // of the warps that an SM can hold
    OccupancyLimit limit{};  // the resource that runs out first; of several, the first of the enum
};

// `registers_per_thread`: known only to ptxas; without it registers are taken not to limit. The rules are
// those of NVIDIA's occupancy calculator (cuda_occupancy.h): a warp takes registers in units of
// register_allocation_unit from one of the SM's partitions; a block takes shared memory in units of
// shared_allocation_unit_bytes, the system's share included.
Occupancy occupancy(const Architecture& architecture, unsigned threads_per_block,
                    std::size_t shared_bytes_per_block,
                    std::optional<unsigned> registers_per_thread = std::nullopt);

// Shared memory that one block takes from its SM, in the units above.
std::size_t allocated_shared_bytes(const Architecture& architecture, std::size_t shared_bytes);

// The L1 that the shared memory of the resident blocks leaves, in bytes.
std::size_t l1_bytes(const Architecture& architecture, unsigned threads_per_block,
                     std::size_t shared_bytes_per_block,
                     std::optional<unsigned> registers_per_thread = std::nullopt);

}  // namespace emulator
