// The generations that can be emulated, each by one GPU of it, and further GPUs by their own names. The
// tables are data/architectures.csv, where every number has its source and every unconfirmed field is
// named, and data/gpus.csv.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "emulator/models/shared_banks.hpp"

namespace emulator {

// The path of ld.global.nc (__ldg): none of its own, a cache of its own, or the L1.
enum class ReadOnlyPath : std::uint8_t { none, own, l1 };

// Counts of requests, sectors, lines and wavefronts rest on the L1 rules, the fetch units and the
// banks alone; L1 hits also on the sizes of the L1 and the limits of residency. Other sizes and rates
// serve regimes and launch limits. 0: not known.
struct Architecture {
    std::string_view name;  // "fermi", or of a GPU "geforce-rtx-3080"
    std::string_view gpu;   // "Tesla M2090"
    std::string_view generation;
    unsigned year = 0;
    std::string_view compute_capability;
    unsigned sm_count = 0;
    double sm_clock_hz = 0;
    double dram_bytes_per_second = 0;
    double dram_clock_hz = 0;
    unsigned dram_bus_bits = 0;
    std::size_t l2_bytes = 0;
    std::size_t l1_and_shared_bytes_per_sm = 0;  // 0: the L1 is no part of the shared memory
    std::size_t l1_bytes = 0;               // where the split is fixed, or has a default; else 0
    std::size_t read_only_cache_bytes = 0;  // where read_only_path is `own`
    std::array<unsigned, 10> shared_options_kb{};  // how much of it can be shared memory
    std::size_t max_shared_bytes_per_sm = 0;
    std::size_t max_shared_bytes_per_block = 0;
    bool l1_caches_global_loads = false;  // as the compiler defaults
    unsigned fetch_unit_bytes_with_l1 = 0;
    unsigned fetch_unit_bytes_without_l1 = 0;
    bool stores_allocate_in_l1 = false;  // else a store leaves nothing in the L1
    ReadOnlyPath read_only_path = ReadOnlyPath::none;
    bool fence_invalidates_l1 = false;  // __threadfence and wider
    BankLayout banks;
    unsigned max_threads_per_block = 0;
    unsigned max_threads_per_sm = 0;
    unsigned max_warps_per_sm = 0;
    unsigned max_blocks_per_sm = 0;
    unsigned max_grid_x = 0;
    unsigned registers_per_sm = 0;
    unsigned register_allocation_unit = 0;  // registers of a warp are rounded up to this
    unsigned sub_partitions = 0;            // of an SM: a warp's registers lie in one of them
    unsigned shared_allocation_unit_bytes = 0;
    unsigned shared_system_bytes_per_block = 0;
    bool independent_thread_scheduling = false;  // lanes of a warp progress on their own
    unsigned fp32_lanes_per_sm = 0;

    unsigned compute_major() const { return compute_number() / 10; }
    // 90 for "9.0".
    unsigned compute_number() const {
        unsigned number = 0;
        for (const char c : compute_capability) {
            if (c != '.') number = 10 * number + static_cast<unsigned>(c - '0');
        }
        return number;
    }

    // The least that a global load moves, as the compiler defaults: a 128-byte line or a sector.
    unsigned fetch_unit_bytes() const {
        return l1_caches_global_loads ? fetch_unit_bytes_with_l1 : fetch_unit_bytes_without_l1;
    }
};

// The generations, in the order of the table: oldest first.
std::span<const Architecture> architectures();
// GPUs beside those that stand for their generation.
std::span<const Architecture> gpus();

// A generation or a GPU; null for an unknown name.
const Architecture* find_architecture(std::string_view name);

}  // namespace emulator
