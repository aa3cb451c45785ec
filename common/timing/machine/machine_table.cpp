#include "timing/machine/machine_table.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "emulator/models/memory/coalescing.hpp"

namespace timing {
namespace {

// By the names of data/timing/parameters.csv.
struct Parameters {
    double schedulers{}, issue_per_scheduler{};
    double integer_lanes{}, fp64_lanes{}, sfu_lanes{}, memory_lanes{};
    double alu_cycles{}, fp64_cycles{}, sfu_cycles{}, branch_cycles{}, fma_bank_conflict_cycles{};
    double barrier_cycles{}, barrier_arrival_cycles{};
    double shared_cycles{}, l1_cycles{}, texture_cycles{}, constant_cycles{};
    double constant_pass_cycles{}, constant_next_cycles{};
    double l1_bytes_per_cycle{}, shared_bytes_per_cycle{}, l1_tags_per_cycle{},
        l1_fill_bytes_per_cycle{};
    double shared_atomic_cycles{}, lsu_queue_per_scheduler{}, lsu_queue_per_sm{};
    double bulk_load_cycles{}, bulk_store_cycles{}, bulk_load_line_cycles{},
        bulk_store_line_cycles{}, bulk_copy_cycles{}, l2_bulk_lines_per_cycle_per_sm{};
    double launch_us{}, blocks_per_cycle{}, block_launch_cycles{}, launch_tail_ns_per_sm{};
    double l2_cycles{}, l2_bytes_per_cycle_per_sm{}, l2_port_bytes_per_cycle{};
    double l2_store_sectors_per_cycle_per_sm{}, max_merged_store_lines{}, store_port_cycles{},
        max_store_lines_in_flight{};
    double l2_completed_sectors_per_cycle_per_sm{}, l2_kept_share{}, averaging_window_cycles{};
    double l2_writeback_cycles{}, l2_writeback_share{}, l2_usable_share{}, l2_reuse_share{};
    double l2_reductions_per_cycle_per_sm{}, atomic_port_cycles{}, reduction_port_cycles{},
        l2_update_cycles{}, l2_address_update_cycles{}, l2_float_update_cycles{}, l2_swap_cycles{},
        l2_contender_cycles{};
    double l2_atomics_per_cycle_per_sm{}, l2_slices{}, l2_slice_reserve{};
    double dram_cycles{}, dram_spread_ns{}, dram_bank_ns{}, dram_opening_bytes{},
        dram_write_opening_bytes{}, dram_turnaround_ns{}, dram_achieved_share{};
    double link_gbs{}, pageable_gbs{}, copy_us{};
};

const auto table = std::to_array<std::pair<std::string_view, Parameters>>({
#include "timing_table.inc"
});

const Parameters* find(std::string_view wanted) {
    const auto found = std::ranges::find(table, wanted, [](const auto& row) { return row.first; });
    return found == table.end() ? nullptr : &found->second;
}

// Of its compute capability, "ampere_8_6", where that differs from its generation.
const Parameters& parameters_of(const emulator::Architecture& architecture) {
    std::string generation(architecture.generation);
    std::ranges::transform(generation, generation.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::string capability(architecture.compute_capability);
    std::ranges::replace(capability, '.', '_');
    if (const Parameters* const part = find(generation + "_" + capability)) return *part;
    if (const Parameters* const whole = find(generation)) return *whole;
    throw std::logic_error("data/timing/parameters.csv has no rows for " + generation);
}

void add_sm(const Parameters& from, Machine& machine) {
    machine.schedulers = static_cast<unsigned>(from.schedulers);
    machine.issue_per_scheduler = from.issue_per_scheduler;
    machine.integer_lanes = from.integer_lanes;
    machine.fp64_lanes = from.fp64_lanes;
    machine.sfu_lanes = from.sfu_lanes;
    machine.memory_lanes = from.memory_lanes;
    machine.alu_cycles = from.alu_cycles;
    machine.fp64_cycles = from.fp64_cycles;
    machine.sfu_cycles = from.sfu_cycles;
    machine.branch_cycles = from.branch_cycles;
    machine.fma_bank_conflict_cycles = from.fma_bank_conflict_cycles;
    machine.barrier_cycles = from.barrier_cycles;
    machine.barrier_arrival_cycles = from.barrier_arrival_cycles;
}

void add_l1(const Parameters& from, const emulator::Architecture& gpu, Machine& machine) {
    machine.shared_cycles = from.shared_cycles;
    machine.l1_cycles = from.l1_cycles;
    machine.texture_cycles = from.texture_cycles;
    machine.constant_cycles = from.constant_cycles;
    machine.constant_pass_cycles = from.constant_pass_cycles;
    machine.constant_next_cycles = from.constant_next_cycles;
    machine.l1_bytes_per_cycle = from.l1_bytes_per_cycle;
    machine.shared_bytes_per_cycle = from.shared_bytes_per_cycle;
    machine.l1_tags_per_cycle = from.l1_tags_per_cycle;
    machine.l1_fill_bytes_per_cycle = from.l1_fill_bytes_per_cycle;
    machine.shared_atomic_cycles = from.shared_atomic_cycles;
    machine.lsu_queue_per_scheduler = from.lsu_queue_per_scheduler;
    machine.lsu_queue_per_sm = from.lsu_queue_per_sm;
    machine.is_l1_whole_lines = gpu.fetch_unit_bytes_with_l1 == emulator::line_bytes;
    machine.stores_allocate_in_l1 = gpu.stores_allocate_in_l1;
    machine.read_only_cache_bytes = gpu.read_only_cache_bytes;
}

// What SMs and the L2 ask each other for, at their own rates.
void add_atomics(const Parameters& from, double sms, Machine& machine) {
    machine.l2_atomics_per_cycle = from.l2_atomics_per_cycle_per_sm * sms;
    machine.l2_reductions_per_cycle = from.l2_reductions_per_cycle_per_sm * sms;
    machine.atomic_port_cycles = from.atomic_port_cycles;
    machine.reduction_port_cycles = from.reduction_port_cycles;
    machine.l2_update_cycles = from.l2_update_cycles;
    machine.l2_address_update_cycles = from.l2_address_update_cycles;
    machine.l2_float_update_cycles = from.l2_float_update_cycles;
    machine.l2_swap_cycles = from.l2_swap_cycles;
    machine.l2_contender_cycles = from.l2_contender_cycles;
}

void add_l2(const Parameters& from, const emulator::Architecture& gpu, Machine& machine) {
    const double sms = gpu.sm_count;
    const auto bytes = static_cast<double>(gpu.l2_bytes);
    machine.l2_cycles = from.l2_cycles;
    machine.l2_bytes_per_cycle = from.l2_bytes_per_cycle_per_sm * sms;
    machine.l2_bytes_per_cycle_per_sm = from.l2_port_bytes_per_cycle;
    machine.l2_store_sectors_per_cycle = from.l2_store_sectors_per_cycle_per_sm * sms;
    machine.l2_completed_sectors_per_cycle = from.l2_completed_sectors_per_cycle_per_sm * sms;
    machine.l2_kept_bytes = from.l2_kept_share * bytes;
    machine.max_merged_store_lines = from.max_merged_store_lines;
    machine.store_port_cycles = from.store_port_cycles;
    machine.max_store_lines_in_flight = from.max_store_lines_in_flight;
    machine.averaging_window_cycles = from.averaging_window_cycles;
    machine.l2_writeback_cycles = from.l2_writeback_cycles;
    machine.l2_writeback_share = from.l2_writeback_share;
    machine.l2_slices = static_cast<unsigned>(from.l2_slices);
    machine.l2_slice_reserve = from.l2_slice_reserve;
    machine.l2_bytes = bytes;
    machine.l2_usable_share = from.l2_usable_share;
    machine.l2_reuse_bytes = from.l2_reuse_share * bytes;
}

void add_copy_engine(const Parameters& from, double sms, Machine& machine) {
    machine.bulk_load_cycles = from.bulk_load_cycles;
    machine.bulk_store_cycles = from.bulk_store_cycles;
    machine.bulk_load_line_cycles = from.bulk_load_line_cycles;
    machine.bulk_store_line_cycles = from.bulk_store_line_cycles;
    machine.bulk_copy_cycles = from.bulk_copy_cycles;
    machine.l2_bulk_lines_per_cycle = from.l2_bulk_lines_per_cycle_per_sm * sms;
}

void add_dram(const Parameters& from, const emulator::Architecture& gpu, Machine& machine) {
    machine.dram_cycles = from.dram_cycles;
    machine.dram_spread_cycles = from.dram_spread_ns * 1e-9 * gpu.sm_clock_hz;
    machine.dram_bank_cycles = from.dram_bank_ns * 1e-9 * gpu.sm_clock_hz;
    machine.dram_opening_bytes = from.dram_opening_bytes;
    machine.dram_write_opening_bytes = from.dram_write_opening_bytes;
    machine.dram_turnaround_cycles = from.dram_turnaround_ns * 1e-9 * gpu.sm_clock_hz;
    machine.dram_bytes_per_cycle =
        from.dram_achieved_share * gpu.dram_bytes_per_second / gpu.sm_clock_hz;
}

}  // namespace

Machine machine_of(const emulator::Architecture& gpu) {
    const Parameters& from = parameters_of(gpu);
    Machine machine;
    machine.clock_hz = gpu.sm_clock_hz;
    machine.sms = gpu.sm_count;
    machine.fp32_lanes = gpu.fp32_lanes_per_sm;
    machine.launch_seconds = from.launch_us * 1e-6;
    machine.blocks_per_second = from.blocks_per_cycle * gpu.sm_clock_hz;
    machine.block_launch_cycles = from.block_launch_cycles;
    machine.launch_tail_cycles_per_sm = from.launch_tail_ns_per_sm * 1e-9 * gpu.sm_clock_hz;
    add_sm(from, machine);
    add_l1(from, gpu, machine);
    add_copy_engine(from, gpu.sm_count, machine);
    add_l2(from, gpu, machine);
    add_atomics(from, gpu.sm_count, machine);
    add_dram(from, gpu, machine);
    machine.link_bytes_per_second = from.link_gbs * 1e9;
    machine.pageable_bytes_per_second = from.pageable_gbs * 1e9;
    machine.link_seconds = from.copy_us * 1e-6;
    return machine;
}

}  // namespace timing
