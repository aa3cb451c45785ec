#include "timing/machine/mechanisms.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>

namespace timing {
namespace {

constexpr auto all = std::to_array<Mechanism>({
    {"dram_banks",
     [](Machine& m) {
         m.dram_bank_cycles = 0;
     }},
    {"dram_channel_queues",
     [](Machine& m) {
         m.dram_channel_rate = 0;
     }},
    {"dram_turns",
     [](Machine& m) {
         m.dram_turn_cycles = 0;
     }},
    {"dram_write_opening",
     [](Machine& m) {
         m.dram_write_opening_bytes = m.dram_opening_bytes;
     }},
    {"dram_burst",
     [](Machine& m) {
         m.dram_burst_cycles = 0;
     }},
    {"latency_spread",
     [](Machine& m) {
         m.dram_spread_cycles = 0;
     }},
    {"page_lookup",
     [](Machine& m) {
         m.page_cycles = 0;
     }},
    {"write_backs",
     [](Machine& m) {
         m.switches.writes_back = false;
     }},
    {"first_wave_waits",
     [](Machine& m) {
         m.switches.first_wave_waits = false;
     }},
    {"write_back_delay",
     [](Machine& m) {
         m.l2_room_cycles = 0;
     }},
    {"new_lines_first",
     [](Machine& m) {
         m.switches.prefers_new_lines = false;
     }},
    {"last_sm",
     [](Machine& m) {
         m.switches.waits_for_last_sm = false;
     }},
    {"rereads",
     [](Machine& m) {
         m.switches.rereads = false;
     }},
    {"waits_behind_stores",
     [](Machine& m) {
         m.switches.loads_wait_behind_stores = false;
     }},
    {"slice_queues",
     [](Machine& m) {
         m.l2_slices = 1;
     }},
    {"slice_fills",
     [](Machine& m) {
         m.switches.fills_busy_slices = false;
     }},
    {"slice_unevenness",
     [](Machine& m) {
         m.l2_slice_reserve = 1e9;
     }},
    {"store_masks",
     [](Machine& m) {
         m.switches.masks = false;
     }},
    {"stores_block_l1",
     [](Machine& m) {
         m.switches.stores_block_l1 = false;
     }},
    {"stores_in_flight",
     [](Machine& m) {
         m.stores_on_the_way = 1e9;
     }},
    {"store_port",
     [](Machine& m) {
         m.store_port_cycles = 0;
     }},
    {"store_merging",
     [](Machine& m) {
         m.merged_store_lines = 0;
     }},
    {"merge_time",
     [](Machine& m) {
         m.merge_cycles = 0;
     }},
    {"completed_sectors",
     [](Machine& m) {
         m.l2_kept_bytes = 1e30;
     }},
    {"l2_store_lines",
     [](Machine& m) {
         m.l2_store_lines_per_cycle = 1e9;
     }},
    {"l2_burst",
     [](Machine& m) {
         m.l2_burst_cycles = 0;
     }},
    {"l2_request_time",
     [](Machine& m) {
         m.l2_request_cycles = 1;
         m.l2_request_sectors = m.l2_store_sectors_per_cycle / m.sms;
     }},
    {"l2_granule",
     [](Machine& m) {
         m.l2_granule_bytes = 32;
     }},
    {"memory_queue",
     [](Machine& m) {
         m.waiting_of_scheduler = m.waiting_of_sm = 1;
     }},
    {"one_queue_length",
     [](Machine& m) {
         m.waiting_of_sm = m.waiting_of_scheduler;
     }},
    {"random_order",
     [](Machine& m) {
         m.memory_order_cycles = 0;
     }},
    {"older_blocks_first",
     [](Machine& m) {
         m.switches.older_blocks_first = false;
     }},
    {"fills_on_data_path",
     [](Machine& m) {
         m.switches.fills_use_data_path = false;
     }},
    {"l1_fill_rate",
     [](Machine& m) {
         m.l1_fill_bytes_per_cycle = std::numeric_limits<double>::infinity();
     }},
    {"copy_engine",
     [](Machine& m) {
         m.bulk_load_cycles = m.bulk_store_cycles = m.bulk_copy_cycles = 0;
         m.bulk_load_line_cycles = m.bulk_store_line_cycles = 0;
         m.l2_bulk_lines_per_cycle = 1e9;
     }},
    {"block_ends",
     [](Machine& m) {
         m.blocks_per_second = std::numeric_limits<double>::infinity();
     }},
    {"block_start",
     [](Machine& m) {
         m.block_start_cycles = 0;
     }},
    {"warp_start",
     [](Machine& m) {
         m.warp_start_cycles = 0;
     }},
    {"first_warp_delay",
     [](Machine& m) {
         m.first_warp_delay_cycles = 0;
     }},
    {"sms_apart",
     [](Machine& m) {
         m.sms_apart_cycles = 0;
     }},
    {"memory_end",
     [](Machine& m) {
         m.memory_end_cycles = 0;
     }},
    {"fma_bank_conflicts",
     [](Machine& m) {
         m.unkept_operands_cycles = 0;
     }},
    {"register_writes",
     [](Machine& m) {
         m.registers_written_per_cycle = std::numeric_limits<double>::infinity();
     }},
    {"branch_time",
     [](Machine& m) {
         m.branch_cycles = 0;
     }},
    {"convergence_time",
     [](Machine& m) {
         m.convergence_cycles = 0;
     }},
    {"barrier_arrivals",
     [](Machine& m) {
         m.barrier_arrival_cycles = 0;
     }},
    {"shared_pass_time",
     [](Machine& m) {
         m.shared_pass_cycles = 1;
     }},
    {"texture_time",
     [](Machine& m) {
         m.texture_cycles = m.l1_cycles;
     }},
    {"constant_cache",
     [](Machine& m) {
         m.constant_cache_bytes = 0;
     }},
    {"constant_passes",
     [](Machine& m) {
         m.constant_pass_cycles = m.constant_next_cycles = 1;
     }},
    {"stratified_draws",
     [](Machine& m) {
         m.switches.stratifies = false;
     }},
    {"folded_addresses",
     [](Machine& m) {
         m.switches.folds_addresses = false;
     }},
    {"convergence_instructions",
     [](Machine& m) {
         m.switches.converges = false;
     }},
    {"predication",
     [](Machine& m) {
         m.switches.predicates = false;
     }},
    {"branches_around_loads",
     [](Machine& m) {
         m.switches.branches_around_loads = false;
     }},
    {"long_predication",
     [](Machine& m) {
         m.switches.predicates_long = false;
     }},
    {"instruction_order",
     [](Machine& m) {
         m.switches.reorders = false;
     }},
    {"delayed_shared_loads",
     [](Machine& m) {
         m.switches.delays_shared_loads = false;
     }},
    {"separated_dependences",
     [](Machine& m) {
         m.switches.separates_dependences = false;
     }},
    {"live_registers",
     [](Machine& m) {
         m.switches.tracks_live_registers = false;
     }},
    {"few_registers",
     [](Machine& m) {
         m.switches.few_registers = false;
     }},
    {"reloaded_parameters",
     [](Machine& m) {
         m.switches.reloads_parameters = false;
     }},
    {"loaded_sizes",
     [](Machine& m) {
         m.switches.loads_sizes = false;
     }},
});

}  // namespace

std::span<const Mechanism> mechanisms() { return all; }

Machine without(Machine machine, std::string_view names) {
    while (!names.empty()) {
        const std::string_view name = names.substr(0, names.find(','));
        names.remove_prefix(std::min(names.size(), name.size() + 1));
        const auto found = std::ranges::find(all, name, &Mechanism::name);
        if (found == all.end())
            throw std::invalid_argument("unknown mechanism \"" + std::string(name) + "\"");
        found->leave_out(machine);
    }
    return machine;
}

}  // namespace timing
