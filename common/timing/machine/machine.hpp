// What the units of a GPU cost: the parameters of the time model. Times are cycles of the SM's clock,
// rates are per such cycle. Every number comes from data/timing/parameters.csv and data/architectures.csv.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "timing/machine/ptxas_rules.hpp"

namespace timing {

// What an instruction keeps busy.
enum class Unit : std::uint8_t { none, fp32, integer, fp64, sfu, memory, tensor };
constexpr std::size_t unit_count = 7;

// Mechanisms that no parameter switches off (mechanisms.hpp lists all).
struct Switches {
    bool new_lines_wait = true;  // requests for lines that are new wait for DRAM, not any others
    bool writes_back = true;     // what comes into the L2 evicts lines that have to be written
    bool rereads = true;         // what a launch has evicted itself comes from DRAM again
    bool waits_behind_stores = true;  // loads do, in the L2
    bool sends_masks = true;          // of lines whose sectors are not written whole
    bool fills_use_data_path = true;  // lines that come into the L1
    PtxasRules ptxas;
};

struct Machine {
    // ---- the GPU
    double clock_hz = 1e9;
    unsigned sms = 1;
    double launch_seconds = 0;       // an empty kernel behind another one in a stream
    double blocks_per_second = 0;    // whose ends the whole GPU notes, one after another
    double block_launch_cycles = 0;  // from a block's end to the next one's first instruction
    double launch_tail_cycles_per_sm =
        0;  // of a launch, for each SM whose blocks used global memory

    // ---- an SM
    unsigned schedulers = 4;
    double issue_per_scheduler = 1;  // instructions a cycle
    // Threads' operations a cycle, of all schedulers together.
    double fp32_lanes = 128, integer_lanes = 64, fp64_lanes = 64, sfu_lanes = 16, memory_lanes = 32;
    double fma_bank_conflict_cycles = 0;  // of a multiply-add that reads three new registers
    double alu_cycles = 4, fp64_cycles = 8, sfu_cycles = 20;  // from issue to use of the result
    double branch_cycles = 0;  // from a branch to the warp's next instruction, beyond the issue

    // ---- barriers: arrivals at those of an SM's blocks are noted one after another
    double barrier_cycles = 12;  // from the last one to the next instruction
    double barrier_arrival_cycles = 0;

    // ---- the L1 and the shared memory, which share one data path
    double shared_cycles = 23, l1_cycles = 33, texture_cycles = 33, constant_cycles = 8;
    double constant_pass_cycles = 1;  // issue interval of different addresses of constant memory
    double constant_next_cycles = 1;  // from the result of one such address to the warp's next
    double l1_bytes_per_cycle = 128, shared_bytes_per_cycle = 128;
    double l1_tags_per_cycle = 4;
    double l1_fill_bytes_per_cycle = std::numeric_limits<double>::infinity();  // a line at a time
    double shared_atomic_cycles = 4;  // of one pass over the banks
    // Depths of the queues in which issued memory instructions wait: one a scheduler, two an SM.
    double lsu_queue_per_scheduler = 10, lsu_queue_per_sm = 22;
    bool is_l1_whole_lines = false;         // a miss fetches all of a line
    bool stores_allocate_in_l1 = false;     // else a store leaves nothing there
    std::size_t read_only_cache_bytes = 0;  // a cache of its own for __ldg, of sectors

    // ---- the copy engine, beside the threads: cycles (data/timing/engine.csv)
    double bulk_load_cycles = 0;   // of a bulk load, more than of a load of the L2
    double bulk_store_cycles = 0;  // until shared memory has been read, and those of each line
    double bulk_load_line_cycles = 1, bulk_store_line_cycles = 1;
    double bulk_copy_cycles = 0;  // from a bulk load to the next one, at least

    // ---- behind the L1
    double l2_cycles = 270, dram_cycles = 650;  // from issue to use, nothing else in flight
    double dram_spread_cycles = 0;  // of the mean latency: how much later the later half comes
    double dram_bank_cycles = 0;    // that a bank is busy with opening a row to read from it
    // Of the bandwidth, that take as long as opening a row anywhere to read, and to write.
    double dram_opening_bytes = 128, dram_write_opening_bytes = 128;
    double dram_turnaround_cycles = 0;      // of a channel, from reading to writing and back
    double l2_bytes_per_cycle = 4000;       // of the whole GPU
    double l2_bytes_per_cycle_per_sm = 64;  // of one SM's port
    // Of the whole GPU: sectors that stores send, with one more for each line whose sectors are not written whole.
    double l2_store_sectors_per_cycle = 128;
    // Sectors that it reads again to go on writing them, and the bytes stored in between of which it keeps one in e.
    double l2_completed_sectors_per_cycle = 10, l2_kept_bytes = 1e9;
    double l2_bulk_lines_per_cycle = 20;     // that the copy engine stores, of the whole GPU
    double max_merged_store_lines = 0;       // of a store that the next one can merge with
    double max_store_lines_in_flight = 1e9;  // of an SM
    double store_port_cycles = 0;            // of a line of a store on its way out of the SM
    // What an SM has left of its share of the L2 within the last so many cycles it can still use: others leave theirs at
    // other times.
    double averaging_window_cycles = 0;
    // Until the L2 has written back enough to take lines that it lacks, where this share of it is written; for less in
    // proportion.
    double l2_writeback_cycles = 0, l2_writeback_share = 0.04;
    // Atomic operations: sectors a cycle of the whole GPU, whose results are read or not; of a request on its way out of an SM;
    // that a slice is busy with a sector, or with lanes that update one address, of integers or not.
    double l2_atomics_per_cycle = 32, l2_reductions_per_cycle = 48;
    double atomic_port_cycles = 8, reduction_port_cycles = 5;
    double l2_update_cycles = 1, l2_address_update_cycles = 1, l2_float_update_cycles = 3;
    // From one compare-and-swap that succeeds to the next one of a loop, and for each thread that tries it, too.
    double l2_swap_cycles = 800, l2_contender_cycles = 0.2;
    unsigned l2_slices = 1;       // 1: how lines lie in them is not known
    double l2_slice_reserve = 1;  // load of the fullest one over the mean, that slows nothing
    double dram_bytes_per_cycle = 2000;  // of the whole GPU, as measured, not the peak
    double l2_bytes = 0;
    double l2_reuse_bytes = 0;  // of what is read at random, that it keeps (emulator::L2Reuse)
    double l2_usable_share =
        1;  // of its capacity, that one SM's data can use: less with two partitions

    // ---- the link to the host, one way
    double link_bytes_per_second = 12e9;  // from and to page-locked memory
    double pageable_bytes_per_second =
        7e9;                     // of the host's copy between pageable and page-locked memory
    double link_seconds = 2e-6;  // of a copy of a few bytes, behind another one

    Switches switches;

    // Cycles that an instruction of a warp keeps the unit busy, in the whole SM.
    double unit_cycles(Unit unit) const;
    // How long a launch waits at last for the L2 to write back lines, which lacks so much of what it reads, or of what it
    // writes.
    double writeback_delay(double missing_bytes) const;
    // By how much the last of so many loads from DRAM comes later than one of them: latencies are exponential.
    double cycles_to_last_of(double count) const;
    double latency_of(Unit unit) const;
};

}  // namespace timing
