#include "emulator/simt/record/counts.hpp"

#include "emulator/models/memory/memory_model.hpp"

namespace emulator::simt {
namespace {

// Nothing where the L2 keeps all that the launch touches.
L2Reuse::Reread reread_by(const Launch& launch, const std::vector<std::unique_ptr<Worker>>& workers,
                          std::uint64_t footprint_lines) {
    const double kept_bytes = launch.options.l2_reuse_bytes;
    if (kept_bytes == 0 || static_cast<double>(footprint_lines) * line_bytes <= kept_bytes)
        return {};
    L2Reuse all(launch.resident_blocks);
    for (const auto& worker : workers) {
        for (const auto& memory : worker->memories) {
            if (memory) all.merge(memory->l2_reuse());
        }
    }
    return all.reread(kept_bytes);
}

void add_memory(const Launch& launch, const std::vector<std::unique_ptr<Worker>>& workers,
                Counts& counts) {
    SectorSet read, written;
    PartialSectors partial;
    bool modelled = false;
    for (const auto& worker : workers) {
        for (const auto& memory : worker->memories) {
            if (!memory) continue;
            modelled = true;
            counts.memory.add(memory->counters());
            read.merge(memory->read_sectors());
            written.merge(memory->written_sectors());
            partial.merge(memory->partial_sectors());
        }
    }
    if (!modelled) return;
    counts.l2_read_sectors_min = read.sectors();
    counts.l2_write_sectors_min = written.sectors();
    counts.incomplete_sectors = partial.incomplete(read);
    counts.dram_read_bytes = 64 * read.granules();
    read.merge(written);
    counts.footprint_lines = read.lines();
    counts.reread = reread_by(launch, workers, counts.footprint_lines);
}

}  // namespace

void Counts::add(const Counts& other, std::uint64_t times) {
    sites.resize(other.sites.size());
    blocks.resize(other.blocks.size());
    guarded_out.resize(other.guarded_out.size());
    for (std::size_t i = 0; i < sites.size(); ++i) {
        sites[i].requests.add(other.sites[i].requests, times);
        sites[i].shared.add(other.sites[i].shared, times);
        sites[i].local.add(other.sites[i].local, times);
        sites[i].parted_tries += times * other.sites[i].parted_tries;
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        blocks[i].executions += times * other.blocks[i].executions;
        blocks[i].lanes += times * other.blocks[i].lanes;
        blocks[i].divergences += times * other.blocks[i].divergences;
    }
    for (std::size_t i = 0; i < guarded_out.size(); ++i)
        guarded_out[i] += times * other.guarded_out[i];
    rare_operands.resize(other.rare_operands.size());
    for (std::size_t i = 0; i < rare_operands.size(); ++i) {
        rare_operands[i].warps += times * other.rare_operands[i].warps;
        rare_operands[i].parted_warps += times * other.rare_operands[i].parted_warps;
    }
    barriers += times * other.barriers;
    memory.l1_hit_sectors += times * other.memory.l1_hit_sectors;
    memory.l2_read_sectors_most += times * other.memory.l2_read_sectors_most;
    memory.l2_write_sectors_most += times * other.memory.l2_write_sectors_most;
    l2_read_sectors_min += times * other.l2_read_sectors_min;
    l2_write_sectors_min += times * other.l2_write_sectors_min;
    dram_read_bytes += times * other.dram_read_bytes;
    incomplete_sectors += times * other.incomplete_sectors;
    footprint_lines += times * other.footprint_lines;
    reread.granules += times * other.reread.granules;
    reread.sectors += times * other.reread.sectors;
}

SectorSet touched_by(const std::vector<std::unique_ptr<Worker>>& workers) {
    SectorSet touched;
    for (const auto& worker : workers) {
        for (const auto& memory : worker->memories) {
            if (!memory) continue;
            touched.merge(memory->read_sectors());
            touched.merge(memory->written_sectors());
        }
    }
    return touched;
}

WrittenBytes written_by(const std::vector<std::unique_ptr<Worker>>& workers) {
    WrittenBytes written;
    for (const auto& worker : workers) {
        for (const auto& memory : worker->memories) {
            if (!memory) continue;
            written.sectors.merge(memory->written_sectors());
            written.parts.merge(memory->partial_sectors());
        }
    }
    return written;
}

std::shared_ptr<const LineUpdates> line_updates_by(
    const std::vector<std::unique_ptr<Worker>>& workers) {
    auto updates = std::make_shared<LineUpdates>();
    for (const auto& worker : workers) {
        for (const auto& memory : worker->memories) {
            if (memory) updates->merge(memory->line_updates());
        }
    }
    return updates;
}

double slice_unevenness_of(const Launch& launch,
                           const std::vector<std::unique_ptr<Worker>>& workers) {
    if (launch.options.l2_slices <= 1) return 1;
    SliceLoads all(launch.options.l2_slices);
    SectorSet written;
    for (const auto& worker : workers) {
        for (const auto& memory : worker->memories) {
            if (!memory) continue;
            written.merge(memory->written_sectors());
            all.merge(memory->slice_loads());
        }
    }
    // Less than a window has not been measured.
    const auto lines = static_cast<double>(written.lines());
    return lines < SliceLoads::window_lines ? 1 : all.unevenness(lines);
}

Counts counts_of(const Launch& launch, const std::vector<std::unique_ptr<Worker>>& workers) {
    Counts counts;
    counts.sites.resize(launch.image.sites.size());
    counts.blocks.resize(launch.image.counters.size());
    counts.guarded_out.resize(launch.image.guarded.size());
    for (const auto& worker : workers) {
        const Execution& execution = worker->execution;
        for (std::size_t i = 0; i < counts.sites.size(); ++i) {
            const SiteState& state = execution.sites[i];
            CostModel cost = launch.image.sites[i].cost;
            counts.sites[i].requests.add(state.requests.total(cost));
            counts.sites[i].parted_tries += state.parted_tries;
            if (!state.others) continue;
            cost.space = AccessSpace::shared;
            counts.sites[i].shared.add(state.others->shared.total(cost));
            cost.space = AccessSpace::local;
            counts.sites[i].local.add(state.others->local.total(cost));
        }
        for (std::size_t i = 0; i < counts.blocks.size(); ++i) {
            counts.blocks[i].executions += execution.counts[i].executions;
            counts.blocks[i].lanes += execution.counts[i].lanes;
            counts.blocks[i].divergences += execution.counts[i].divergences;
        }
        for (std::size_t i = 0; i < counts.guarded_out.size(); ++i) {
            counts.guarded_out[i] += execution.guarded_out[i];
        }
        counts.rare_operands.resize(execution.rare_operands.size());
        for (std::size_t i = 0; i < counts.rare_operands.size(); ++i) {
            counts.rare_operands[i].warps += execution.rare_operands[i].warps;
            counts.rare_operands[i].parted_warps += execution.rare_operands[i].parted_warps;
        }
        counts.barriers += execution.barriers;
    }
    add_memory(launch, workers, counts);
    return counts;
}

}  // namespace emulator::simt
