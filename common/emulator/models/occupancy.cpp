#include "emulator/models/occupancy.hpp"

#include <algorithm>

namespace emulator {
namespace {

std::size_t round_up(std::size_t value, std::size_t unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace

std::string_view text(OccupancyLimit limit) {
    switch (limit) {
        case OccupancyLimit::warps:
            return "warps";
        case OccupancyLimit::blocks:
            return "blocks";
        case OccupancyLimit::registers:
            return "registers";
        case OccupancyLimit::shared_memory:
            return "shared memory";
    }
    return "";
}

std::size_t allocated_shared_bytes(const Architecture& architecture, std::size_t shared_bytes) {
    return round_up(shared_bytes + architecture.shared_system_bytes_per_block,
                    architecture.shared_allocation_unit_bytes);
}

Occupancy occupancy(const Architecture& architecture, unsigned threads_per_block,
                    std::size_t shared_bytes_per_block,
                    std::optional<unsigned> registers_per_thread) {
    const unsigned warps =
        static_cast<unsigned>(round_up(threads_per_block, warp_size) / warp_size);
    Occupancy result;
    const auto allow = [&](unsigned blocks, OccupancyLimit limit) {
        if (limit != OccupancyLimit::warps && blocks >= result.blocks) return;
        result.blocks = blocks;
        result.limit = limit;
    };
    allow(architecture.max_warps_per_sm / warps, OccupancyLimit::warps);
    allow(architecture.max_blocks_per_sm, OccupancyLimit::blocks);
    if (registers_per_thread) {
        const std::size_t by_warp =
            round_up(std::size_t{std::max(*registers_per_thread, 1u)} * warp_size,
                     architecture.register_allocation_unit);
        const std::size_t warps_of_a_partition =
            architecture.registers_per_sm / architecture.sub_partitions / by_warp;
        allow(static_cast<unsigned>(warps_of_a_partition * architecture.sub_partitions / warps),
              OccupancyLimit::registers);
    }
    const std::size_t shared = allocated_shared_bytes(architecture, shared_bytes_per_block);
    // The system's share counts against the total, which is larger than what blocks may declare.
    const std::size_t available = architecture.max_shared_bytes_per_sm;
    if (shared != 0) {
        allow(static_cast<unsigned>(available / shared), OccupancyLimit::shared_memory);
    }
    result.warps = result.blocks * warps;
    result.percent = 100.0 * result.warps / architecture.max_warps_per_sm;
    return result;
}

std::size_t l1_bytes(const Architecture& architecture, unsigned threads_per_block,
                     std::size_t shared_bytes_per_block,
                     std::optional<unsigned> registers_per_thread) {
    if (architecture.l1_bytes != 0) return architecture.l1_bytes;
    const Occupancy resident =
        occupancy(architecture, threads_per_block, shared_bytes_per_block, registers_per_thread);
    const std::size_t needed =
        resident.blocks * allocated_shared_bytes(architecture, shared_bytes_per_block);
    // The driver takes the smallest carve-out that holds the resident blocks.
    std::size_t carve_out = architecture.max_shared_bytes_per_sm;
    for (const unsigned kilobytes : architecture.shared_options_kb) {
        const std::size_t option = std::size_t{kilobytes} * 1024;
        if (option >= needed) carve_out = std::min(carve_out, option);
    }
    return architecture.l1_and_shared_bytes_per_sm - carve_out;
}

}  // namespace emulator
