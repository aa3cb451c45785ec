#include "timing/memory/partly_written.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "emulator/models/memory/slice_loads.hpp"

namespace timing {
namespace {

struct Store {
    const Access* access;
    std::size_t warp;
};

// What a block stores between two barriers.
struct Phase {
    double bytes = 0;
    std::vector<Store> partial;  // stores that leave sectors incomplete, by warps
};

// A sector that so many warps of a block write in so many stores.
struct Sector {
    double warps = 0, stores = 0;
    std::size_t last_warp = 0;
};

// Stores into fewer lines leave the SM one soon after the other.
bool is_partial(const Access& access) {
    return access.line_count >= emulator::SliceLoads::min_lines &&
           access.bytes < access.sectors * std::uint32_t{emulator::sector_bytes};
}

// By how many barriers were before them.
std::map<std::size_t, Phase> phases_of(const BlockTrace& block, const Program& program) {
    std::map<std::size_t, Phase> phases;
    for (std::size_t warp = 0; warp < block.size(); ++warp) {
        std::size_t barriers = 0;
        const auto note = [&](const Access& access) {
            if (!access.stores() || access.space != Space::global) return;
            phases[barriers].bytes += access.bytes;
            if (is_partial(access)) phases[barriers].partial.push_back({&access, warp});
        };
        for (const Step& step : block[warp].steps) {
            for (const Instruction& instruction : program.blocks[step.block].instructions) {
                if (instruction.access != no_access)
                    note(block[warp].accesses[step.first_access + instruction.access]);
                if (instruction.wait == Wait::barrier) ++barriers;
            }
        }
    }
    return phases;
}

template <typename Visit>
void each_sector(std::span<const emulator::LineSectors> lines, const Visit& visit) {
    for (const emulator::LineSectors line : lines) {
        for (unsigned i = 0; i < emulator::line_bytes / emulator::sector_bytes; ++i) {
            if ((line.sectors() >> i & 1) != 0) visit(line.line() + i * emulator::sector_bytes);
        }
    }
}

}  // namespace

PartlyWritten::PartlyWritten(const Machine& machine, const LaunchTrace& trace,
                             const LaunchFacts& facts, double active_sms) {
    if (facts.cold_share <= 0) return;
    // What the L2 gets first finds room.
    const double written = facts.dram_bytes * facts.dram_dirty_share;
    const double share_after_first =
        std::max(0.0, 1 - machine.l2_kept_bytes / std::max(1.0, written));
    const double blocks_at_once =
        std::min(static_cast<double>(facts.blocks), facts.resident_blocks * active_sms);
    for (const BlockTrace& block : trace.blocks) {
        for (const auto& [barriers, phase] : phases_of(block, trace.program)) {
            std::unordered_map<emulator::Address, Sector> sectors;
            for (const Store& store : phase.partial) {
                each_sector(trace.lines_of(*store.access), [&](emulator::Address address) {
                    Sector& sector = sectors[address];
                    if (++sector.stores == 1 || sector.last_warp != store.warp) ++sector.warps;
                    sector.last_warp = store.warp;
                });
            }
            // Its warps' stores lie anywhere in the time in which the blocks store so many bytes, each an equal part of
            // that after the one before.
            const double bytes = phase.bytes * blocks_at_once * facts.cold_share;
            const auto given_up = [&](const Sector& sector) {
                if (sector.stores < 2) return 0.0;
                const double between = bytes / (sector.warps + 1);
                return (sector.warps - 1) / (sector.stores - 1) * share_after_first *
                       (1 - std::exp(-between / machine.l2_kept_bytes));
            };
            for (const Store& store : phase.partial) {
                std::vector<double> probabilities;
                each_sector(trace.lines_of(*store.access), [&](emulator::Address address) {
                    probabilities.push_back(given_up(sectors[address]));
                });
                const auto is_possible = [](double probability) { return probability > 0; };
                if (std::ranges::any_of(probabilities, is_possible))
                    given_up_[store.access] = std::move(probabilities);
            }
        }
    }
}

double PartlyWritten::completed_by(const Access& access,
                                   std::span<const emulator::LineSectors> lines, bool is_merged) {
    const auto found = given_up_.find(&access);
    if (found == given_up_.end()) return 0;
    const double bytes = static_cast<double>(access.bytes) / access.sectors;
    double completed = 0;
    auto probability = found->second.begin();
    each_sector(lines, [&](emulator::Address address) {
        const auto [sector, is_first] = written_.try_emplace(address, 0.0);
        if (!is_first && !is_merged) completed += *probability;
        ++probability;
        sector->second += bytes;
        if (sector->second >= emulator::sector_bytes) written_.erase(sector);
    });
    return completed;
}

}  // namespace timing
