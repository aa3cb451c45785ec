#include "emulator/simt/record/report.hpp"

#include <map>
#include <tuple>

#include "emulator/simt/decode/tensor_form.hpp"
#include "emulator/simt/record/machine_instructions.hpp"

namespace emulator::simt {
namespace {

using Place = std::tuple<std::uint32_t, std::uint32_t, std::int32_t>;  // file, line, inlined at

Place place_of(const ptx::SourceLocation& location) {
    return {location.file, location.line, location.inlined_at};
}

const ptx::SourceLocation& location_of(const Function& function, std::uint32_t instruction) {
    return function.source->instructions[instruction].location;
}

AccessCounters& total_of(LaunchRecord& record, const SiteRecord& site) {
    const auto pick = [&](AccessCounters& loads, AccessCounters& stores,
                          AccessCounters& atomics) -> AccessCounters& {
        return site.kind == AccessKind::load    ? loads
               : site.kind == AccessKind::store ? stores
                                                : atomics;
    };
    switch (site.space) {
        case AccessSpace::shared:
            return pick(record.shared_loads, record.shared_stores, record.shared_atomics);
        case AccessSpace::local:
            return pick(record.local_loads, record.local_stores, record.local_stores);
        case AccessSpace::texture:
            return record.texture_loads;
        default:
            return pick(record.loads, record.stores,
                        site.is_reduction ? record.reductions : record.atomics);
    }
}

// Nsight Compute counts LDSM and STSM apart from other requests to shared memory, their passes with those.
void separate(LaunchRecord& record, const SiteRecord& site) {
    total_of(record, site).requests -= site.counters.requests;
    (site.kind == AccessKind::load ? record.matrix_load_requests : record.matrix_store_requests) +=
        site.counters.requests;
}

void add_sites(const Launch& launch, const Counts& counts, LaunchRecord& record) {
    for (std::size_t i = 0; i < launch.image.sites.size(); ++i) {
        const Image::Site& from = launch.image.sites[i];
        const auto add = [&](AccessSpace space, const AccessCounters& requests) {
            if (requests == AccessCounters{}) return;
            const SiteRecord site{location_of(*from.function, from.site.instruction),
                                  space,
                                  from.site.kind,
                                  from.site.is_reduction,
                                  from.site.is_spill,
                                  from.site.bytes,
                                  requests};
            if (space != AccessSpace::constant) total_of(record, site).add(requests);
            if (from.site.is_matrix) separate(record, site);
            // Bytes of lanes elsewhere (../memory/generic_memory.cpp) are no request.
            if (requests.requests != 0) record.sites.push_back(site);
        };
        add(from.site.space, counts.sites[i].requests);
        add(AccessSpace::shared, counts.sites[i].shared);
        add(AccessSpace::local, counts.sites[i].local);
    }
}

class Lines {
  public:
    LineRecord& at(const ptx::SourceLocation& location) {
        LineRecord& line = lines_[place_of(location)];
        line.location = location;
        return line;
    }
    std::vector<LineRecord> all() const {
        std::vector<LineRecord> result;
        for (const auto& [place, line] : lines_) {
            if (line.warp_instructions != 0) result.push_back(line);
        }
        return result;
    }

  private:
    std::map<Place, LineRecord> lines_;
};

void add_instructions(const Launch& launch, const Counts& counts, LaunchRecord& record) {
    Lines lines;
    for (std::size_t i = 0; i < launch.image.counters.size(); ++i) {
        const auto [function, block] = launch.image.counters[i];
        const Execution::BlockCount& count = counts.blocks[i];
        if (count.executions == 0) continue;
        for (const std::uint32_t instruction : function->block_instructions[block]) {
            LineRecord& line = lines.at(location_of(*function, instruction));
            line.warp_instructions += count.executions;
            line.thread_instructions += count.lanes;
            record.warp_instructions += count.executions;
            record.thread_instructions += count.lanes;
            const ptx::Instruction& source = function->source->instructions[instruction];
            const std::string& opcode = source.opcode;
            record.tensor_instructions +=
                count.executions * machine_products(source, launch.architecture.compute_number());
            if (opcode != "bra" && opcode != "brx") continue;
            record.branches += count.executions;
            record.divergent_branches += count.divergences;
            line.divergent_branches += count.divergences;
        }
    }
    for (std::size_t i = 0; i < launch.image.guarded.size(); ++i) {
        const std::uint64_t left_out = counts.guarded_out[i];
        if (left_out == 0) continue;
        const auto [function, instruction] = launch.image.guarded[i];
        lines.at(location_of(*function, instruction)).thread_instructions -= left_out;
        record.thread_instructions -= left_out;
    }
    record.lines = lines.all();
}

}  // namespace

LaunchRecord record_of(const Launch& launch, const Counts& counts) {
    LaunchRecord record;
    add_sites(launch, counts, record);
    add_instructions(launch, counts, record);
    record.machine_instructions = machine_instructions(launch.image, counts);
    record.memory = counts.memory;
    record.l2_read_sectors_min = counts.l2_read_sectors_min;
    record.l2_write_sectors_min = counts.l2_write_sectors_min;
    record.dram_read_bytes = counts.dram_read_bytes;
    record.incomplete_sectors = counts.incomplete_sectors;
    record.footprint_lines = counts.footprint_lines;
    record.reread = counts.reread;
    record.barriers = counts.barriers;
    record.blocks = record.blocks_executed = launch.blocks();
    return record;
}

void add_texts(const std::vector<std::unique_ptr<Worker>>& workers, LaunchRecord& record) {
    std::map<std::uint64_t, std::string> printed;
    std::map<HazardIdentity, std::pair<std::uint64_t, std::string>> hazards;
    for (const auto& worker : workers) {
        printed.insert(worker->execution.printed.begin(), worker->execution.printed.end());
        for (const auto& [identity, found] : worker->execution.hazard_texts) {
            // Workers find the same hazard in different blocks; the first block's is reported.
            const auto [mine, is_new] = hazards.try_emplace(identity, found);
            if (!is_new && found.first < mine->second.first) mine->second = found;
        }
    }
    for (const auto& worker : workers) {
        const std::string& note = worker->execution.order_note;
        if (note.empty()) continue;
        if (!record.depends_on_warps) record.notes.push_back(note);
        record.depends_on_warps = true;
    }
    for (const auto& [block, text] : printed) record.printed += text;
    for (const auto& [identity, found] : hazards) record.hazards.push_back(found.second);
}

}  // namespace emulator::simt
