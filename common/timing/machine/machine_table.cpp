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
    double branch_cycles{}, convergence_cycles{};
    double alu_cycles{}, fp64_cycles{}, sfu_cycles{};
    double shared_cycles{}, shared_pass_cycles{}, l1_cycles{}, texture_cycles{}, constant_cycles{},
        l2_cycles{}, dram_cycles{};
    double constant_pass_cycles{}, constant_next_cycles{};
    double constant_cache_bytes{}, constant_miss_cycles{}, constant_fill_cycles{};
    double dram_spread_ns{}, dram_bank_ns{}, dram_write_opening_bytes{}, dram_opening_bytes{},
        dram_burst_ns{}, dram_turn_ns{}, dram_channel_gbs{};
    double bulk_load_cycles{}, bulk_store_cycles{}, bulk_load_line_cycles{},
        bulk_store_line_cycles{}, bulk_copy_cycles{}, l2_bulk_lines_per_cycle_of_sm{};
    double page_cycles{}, l2_granule_bytes{};
    double l1_bytes_per_cycle{}, shared_bytes_per_cycle{}, l1_tags_per_cycle{},
        l1_fill_bytes_per_cycle{};
    double shared_atomic_cycles{}, memory_queue_cycles{}, waiting_of_scheduler{}, waiting_of_sm{},
        memory_order_cycles{}, store_port_cycles{}, stores_on_the_way{}, l2_burst_cycles{};
    double barrier_cycles{}, barrier_arrival_cycles{}, unkept_operands_cycles{},
        registers_written_per_cycle{};
    double launch_us{}, blocks_per_cycle{}, block_start_cycles{}, warp_start_cycles{},
        first_warp_delay_cycles{}, sms_apart_ns{}, memory_end_ns_of_sm{};
    double l2_bytes_per_cycle_of_sm{}, l2_port_bytes_per_cycle{}, l2_usable_share{},
        l2_reuse_share{};
    double l2_store_lines_per_cycle_of_sm{}, l2_store_sectors_per_cycle_of_sm{};
    double l2_completed_sectors_per_cycle_of_sm{}, l2_kept_share{};
    double merged_store_lines{}, merge_cycles{}, l2_request_cycles{}, l2_room_cycles{},
        l2_room_share{};
    double l2_reductions_per_cycle_of_sm{}, atomic_port_cycles{}, reduction_port_cycles{},
        l2_update_cycles{}, l2_address_update_cycles{}, l2_float_update_cycles{}, l2_swap_cycles{},
        l2_contender_cycles{};
    double l2_atomics_per_cycle_of_sm{}, l2_slices{}, l2_slice_reserve{};
    double dram_achieved_share{};
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

void add_constants(const Parameters& from, Machine& machine) {
    machine.constant_cycles = from.constant_cycles;
    machine.constant_pass_cycles = from.constant_pass_cycles;
    machine.constant_next_cycles = from.constant_next_cycles;
    machine.constant_cache_bytes = static_cast<std::size_t>(from.constant_cache_bytes);
    machine.constant_miss_cycles = from.constant_miss_cycles;
    machine.constant_fill_cycles = from.constant_fill_cycles;
}

// What SMs and the L2 ask each other for, at their own rates.
void add_l2(const Parameters& from, double sms, Machine& machine) {
    machine.l2_granule_bytes = from.l2_granule_bytes;
    machine.l2_bytes_per_cycle = from.l2_bytes_per_cycle_of_sm * sms;
    machine.l2_bytes_per_cycle_per_sm = from.l2_port_bytes_per_cycle;
    machine.l2_store_lines_per_cycle = from.l2_store_lines_per_cycle_of_sm * sms;
    machine.l2_store_sectors_per_cycle = from.l2_store_sectors_per_cycle_of_sm * sms;
    machine.l2_completed_sectors_per_cycle = from.l2_completed_sectors_per_cycle_of_sm * sms;
    machine.merged_store_lines = from.merged_store_lines;
    machine.merge_cycles = from.merge_cycles;
    machine.store_port_cycles = from.store_port_cycles;
    machine.stores_on_the_way = from.stores_on_the_way;
    machine.l2_burst_cycles = from.l2_burst_cycles;
    machine.l2_request_cycles = from.l2_request_cycles;
    machine.l2_request_sectors =
        machine.l2_request_cycles * machine.l2_store_sectors_per_cycle / sms;
    machine.l2_room_cycles = from.l2_room_cycles;
    machine.l2_room_share = from.l2_room_share;
    machine.l2_slices = static_cast<unsigned>(from.l2_slices);
    machine.l2_slice_reserve = from.l2_slice_reserve;
}

void add_atomics(const Parameters& from, double sms, Machine& machine) {
    machine.l2_atomics_per_cycle = from.l2_atomics_per_cycle_of_sm * sms;
    machine.l2_reductions_per_cycle = from.l2_reductions_per_cycle_of_sm * sms;
    machine.atomic_port_cycles = from.atomic_port_cycles;
    machine.reduction_port_cycles = from.reduction_port_cycles;
    machine.l2_update_cycles = from.l2_update_cycles;
    machine.l2_address_update_cycles = from.l2_address_update_cycles;
    machine.l2_float_update_cycles = from.l2_float_update_cycles;
    machine.l2_swap_cycles = from.l2_swap_cycles;
    machine.l2_contender_cycles = from.l2_contender_cycles;
}

void add_copy_engine(const Parameters& from, double sms, Machine& machine) {
    machine.bulk_load_cycles = from.bulk_load_cycles;
    machine.bulk_store_cycles = from.bulk_store_cycles;
    machine.bulk_load_line_cycles = from.bulk_load_line_cycles;
    machine.bulk_store_line_cycles = from.bulk_store_line_cycles;
    machine.bulk_copy_cycles = from.bulk_copy_cycles;
    machine.l2_bulk_lines_per_cycle = from.l2_bulk_lines_per_cycle_of_sm * sms;
}

void add_dram(const Parameters& from, const emulator::Architecture& gpu, Machine& machine) {
    machine.dram_cycles = from.dram_cycles;
    machine.dram_spread_cycles = from.dram_spread_ns * 1e-9 * gpu.sm_clock_hz;
    machine.dram_bank_cycles = from.dram_bank_ns * 1e-9 * gpu.sm_clock_hz;
    machine.dram_opening_bytes = from.dram_opening_bytes;
    machine.dram_write_opening_bytes = from.dram_write_opening_bytes;
    machine.dram_burst_cycles = from.dram_burst_ns * 1e-9 * gpu.sm_clock_hz;
    machine.dram_turn_cycles = from.dram_turn_ns * 1e-9 * gpu.sm_clock_hz;
    machine.dram_channel_rate = from.dram_channel_gbs * 1e9 / gpu.sm_clock_hz;
    machine.dram_achieved_share = from.dram_achieved_share;
    machine.dram_bytes_per_cycle =
        from.dram_achieved_share * gpu.dram_bytes_per_second / gpu.sm_clock_hz;
}

}  // namespace

Machine machine_of(const emulator::Architecture& gpu) {
    const Parameters& from = parameters_of(gpu);
    const double sms = gpu.sm_count;
    Machine machine;
    machine.clock_hz = gpu.sm_clock_hz;
    machine.sms = gpu.sm_count;
    machine.launch_seconds = from.launch_us * 1e-6;
    machine.blocks_per_second = from.blocks_per_cycle * gpu.sm_clock_hz;
    machine.block_start_cycles = from.block_start_cycles;
    machine.warp_start_cycles = from.warp_start_cycles;
    machine.first_warp_delay_cycles = from.first_warp_delay_cycles;
    machine.sms_apart_cycles = from.sms_apart_ns * 1e-9 * gpu.sm_clock_hz;
    machine.memory_end_cycles = from.memory_end_ns_of_sm * 1e-9 * gpu.sm_clock_hz;
    machine.schedulers = static_cast<unsigned>(from.schedulers);
    machine.issue_per_scheduler = from.issue_per_scheduler;
    machine.fp32_lanes = gpu.fp32_lanes_per_sm;
    machine.integer_lanes = from.integer_lanes;
    machine.fp64_lanes = from.fp64_lanes;
    machine.sfu_lanes = from.sfu_lanes;
    machine.memory_lanes = from.memory_lanes;
    machine.alu_cycles = from.alu_cycles;
    machine.branch_cycles = from.branch_cycles;
    machine.convergence_cycles = from.convergence_cycles;
    machine.fp64_cycles = from.fp64_cycles;
    machine.sfu_cycles = from.sfu_cycles;
    machine.shared_cycles = from.shared_cycles;
    machine.shared_pass_cycles = from.shared_pass_cycles;
    machine.barrier_cycles = from.barrier_cycles;
    machine.barrier_arrival_cycles = from.barrier_arrival_cycles;
    machine.unkept_operands_cycles = from.unkept_operands_cycles;
    machine.registers_written_per_cycle = from.registers_written_per_cycle;
    machine.l1_cycles = from.l1_cycles;
    machine.texture_cycles = from.texture_cycles;
    add_constants(from, machine);
    machine.l1_bytes_per_cycle = from.l1_bytes_per_cycle;
    machine.shared_bytes_per_cycle = from.shared_bytes_per_cycle;
    machine.l1_tags_per_cycle = from.l1_tags_per_cycle;
    machine.l1_fill_bytes_per_cycle = from.l1_fill_bytes_per_cycle;
    machine.shared_atomic_cycles = from.shared_atomic_cycles;
    machine.memory_queue_cycles = from.memory_queue_cycles;
    machine.waiting_of_scheduler = from.waiting_of_scheduler;
    machine.waiting_of_sm = from.waiting_of_sm;
    machine.memory_order_cycles = from.memory_order_cycles;
    machine.is_l1_whole_lines = gpu.fetch_unit_bytes_with_l1 == emulator::line_bytes;
    machine.stores_allocate_in_l1 = gpu.stores_allocate_in_l1;
    machine.read_only_cache_bytes = gpu.read_only_cache_bytes;
    add_copy_engine(from, sms, machine);
    machine.l2_cycles = from.l2_cycles;
    machine.page_cycles = from.page_cycles;
    add_l2(from, sms, machine);
    add_atomics(from, sms, machine);
    add_dram(from, gpu, machine);
    machine.l2_bytes = static_cast<double>(gpu.l2_bytes);
    machine.l2_kept_bytes = from.l2_kept_share * static_cast<double>(gpu.l2_bytes);
    machine.l2_usable_share = from.l2_usable_share;
    machine.l2_reuse_bytes = from.l2_reuse_share * static_cast<double>(gpu.l2_bytes);
    machine.link_bytes_per_second = from.link_gbs * 1e9;
    machine.pageable_bytes_per_second = from.pageable_gbs * 1e9;
    machine.link_seconds = from.copy_us * 1e-6;
    return machine;
}

}  // namespace timing
