// The counts of a launch, in numbers that can be added and multiplied: of all its blocks, or of some
// of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/simt/warp/grid_runner.hpp"

namespace emulator::simt {

struct Counts {
    struct Site {
        AccessCounters requests;       // to the space of the instruction
        AccessCounters shared, local;  // of a generic address
        std::uint64_t parted_tries = 0;
        bool operator==(const Site&) const = default;
    };
    std::vector<Site> sites;                       // as Image::sites
    std::vector<Execution::BlockCount> blocks;     // as Image::counters
    std::vector<std::uint64_t> guarded_out;        // as Image::guarded
    std::vector<RareOperandsCount> rare_operands;  // as Image::rare_operands
    std::uint64_t barriers = 0;
    MemoryCounters memory;
    std::uint64_t l2_read_sectors_min = 0, l2_write_sectors_min = 0, dram_read_bytes = 0;
    std::uint64_t incomplete_sectors = 0;  // that stores leave partly written, and nothing has read
    std::uint64_t footprint_lines = 0;
    L2Reuse::Reread reread;  // where its time is asked for

    void add(const Counts& other, std::uint64_t times = 1);
    bool operator==(const Counts&) const = default;
};

Counts counts_of(const Launch& launch, const std::vector<std::unique_ptr<Worker>>& workers);
// All that the launch has read or written.
SectorSet touched_by(const std::vector<std::unique_ptr<Worker>>& workers);
WrittenBytes written_by(const std::vector<std::unique_ptr<Worker>>& workers);
std::shared_ptr<const LineUpdates> line_updates_by(
    const std::vector<std::unique_ptr<Worker>>& workers);
// SliceLoads::unevenness of all that it stores.
double slice_unevenness_of(const Launch& launch,
                           const std::vector<std::unique_ptr<Worker>>& workers);

}  // namespace emulator::simt
