#include "timing/machine/mechanisms.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>

namespace timing {
namespace {

constexpr auto all = std::to_array<Mechanism>({
    {"dram_rows", Group::dram, [](Machine& m) { m.dram_bank_cycles = 0; }},
    {"dram_turnaround", Group::dram, [](Machine& m) { m.dram_turnaround_cycles = 0; }},
    {"dram_latency_spread", Group::dram, [](Machine& m) { m.dram_spread_cycles = 0; }},
    {"write_backs", Group::l2, [](Machine& m) { m.switches.writes_back = false; }},
    {"write_back_delay", Group::l2, [](Machine& m) { m.l2_writeback_cycles = 0; }},
    {"new_lines_wait", Group::l2, [](Machine& m) { m.switches.new_lines_wait = false; }},
    {"rereads", Group::l2, [](Machine& m) { m.switches.rereads = false; }},
    {"slice_unevenness", Group::l2, [](Machine& m) { m.l2_slice_reserve = 1e9; }},
    {"waits_behind_stores", Group::stores,
     [](Machine& m) { m.switches.waits_behind_stores = false; }},
    {"store_merging", Group::stores, [](Machine& m) { m.max_merged_store_lines = 0; }},
    {"store_masks", Group::stores, [](Machine& m) { m.switches.sends_masks = false; }},
    {"completed_sectors", Group::stores, [](Machine& m) { m.l2_kept_bytes = 1e30; }},
    {"lsu_queues", Group::sm,
     [](Machine& m) { m.lsu_queue_per_scheduler = m.lsu_queue_per_sm = 1; }},
    {"fills_on_data_path", Group::sm, [](Machine& m) { m.switches.fills_use_data_path = false; }},
    {"fma_bank_conflicts", Group::sm, [](Machine& m) { m.fma_bank_conflict_cycles = 0; }},
    {"copy_engine", Group::sm,
     [](Machine& m) {
         m.bulk_load_cycles = m.bulk_store_cycles = m.bulk_copy_cycles = 0;
         m.bulk_load_line_cycles = m.bulk_store_line_cycles = 0;
         m.l2_bulk_lines_per_cycle = 1e9;
     }},
    {"block_launch_rate", Group::launch,
     [](Machine& m) { m.blocks_per_second = std::numeric_limits<double>::infinity(); }},
    {"predication", Group::ptxas, [](Machine& m) { m.switches.ptxas.predicates = false; }},
    {"instruction_order", Group::ptxas, [](Machine& m) { m.switches.ptxas.reorders = false; }},
    {"register_limit", Group::ptxas, [](Machine& m) { m.switches.ptxas.limits_registers = false; }},
});

}  // namespace

std::span<const Mechanism> mechanisms() { return all; }

Machine without(Machine machine, std::string_view names) {
    while (!names.empty()) {
        const std::string_view name = names.substr(0, names.find(','));
        names.remove_prefix(std::min(names.size(), name.size() + 1));
        const auto found = std::ranges::find(all, name, &Mechanism::name);
        if (found == all.end()) {
            std::string known;
            for (const Mechanism& each : all)
                known += (known.empty() ? "" : ", ") + std::string(each.name);
            throw std::invalid_argument("unknown mechanism \"" + std::string(name) +
                                        "\"; valid: " + known);
        }
        found->leave_out(machine);
    }
    return machine;
}

}  // namespace timing
