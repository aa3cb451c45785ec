// What the units of a GPU cost: the parameters of the time model. Times are cycles of the SM's clock,
// rates are per such cycle. Every number comes from data/timing/parameters.csv and data/architectures.csv.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace timing {

// What an instruction keeps busy.
enum class Unit : std::uint8_t { none, fp32, integer, fp64, sfu, memory };
constexpr std::size_t unit_count = 6;

struct Machine {
    // ---- the GPU
    double clock_hz = 1e9;
    unsigned sms = 1;
    double launch_seconds = 0;     // a kernel with nothing to do, behind another one in a stream
    double blocks_per_second = 0;  // whose ends the whole GPU notes, one after another
    double block_start_cycles =
        0;  // from when a block's end begins to be noted to the next one's first instruction
    double warp_start_cycles = 0;  // an SM starts the warps of its blocks one after another
    double sms_apart_cycles = 0;   // from the first SM's first block to the last one's
    double first_warp_delay_cycles =
        0;                         // by how much those of the first blocks come later, on average
    double memory_end_cycles = 0;  // of a launch, for each SM whose blocks used global memory

    // ---- an SM
    unsigned schedulers = 4;
    double issue_per_scheduler = 1;  // instructions a cycle
    // Threads' operations a cycle, of all schedulers together.
    double fp32_lanes = 128, integer_lanes = 64, fp64_lanes = 64, sfu_lanes = 16, memory_lanes = 32;
    // Cycles of a multiply-add of three registers, none of them kept from the one before; and
    // how many registers a cycle are written with what is loaded, in the banks that multiply-adds read.
    double unkept_operands_cycles = 0,
           registers_written_per_cycle = std::numeric_limits<double>::infinity();
    double alu_cycles = 4, fp64_cycles = 8, sfu_cycles = 20;  // from issue to use of the result
    // By how much longer than others a branch keeps its warp from the next instruction, and by how much more where
    // threads may part and meet again.
    double branch_cycles = 0, convergence_cycles = 0;

    // ---- barriers: arrivals at those of an SM's blocks are noted one after another
    double barrier_cycles = 12;  // from the last one to the next instruction
    double barrier_arrival_cycles = 0;

    // ---- the L1 and the shared memory, which share one data path
    double shared_cycles = 23, l1_cycles = 33, texture_cycles = 33, constant_cycles = 8;
    double shared_pass_cycles = 1;  // from the result of one pass through the banks to the next
    double constant_pass_cycles =
        1;  // that one address of several keeps the constant cache busy, ...
    double constant_next_cycles = 1;  // ... and until it can be used behind the one before
    std::size_t constant_cache_bytes = 0;
    // That a line of 64 bytes which it lacks keeps it busy, and that passes between two such that come.
    double constant_miss_cycles = 0, constant_fill_cycles = 0;
    double l1_bytes_per_cycle = 128, shared_bytes_per_cycle = 128;
    double l1_tags_per_cycle = 4;
    double l1_fill_bytes_per_cycle =
        std::numeric_limits<double>::infinity();  // into the L1, a line at a time
    double shared_atomic_cycles = 4;              // of one pass over the banks
    double memory_queue_cycles =
        64;  // work that waits in front of the data path before the memory unit serves no more
    // Memory instructions that have been issued and wait for the memory unit, in the line of their scheduler and
    // then in one of two of the SM.
    double waiting_of_scheduler = 10, waiting_of_sm = 22;
    // A scheduler takes the memory instruction that has waited longest, by chance others: each counts as having come later,
    // by an exponential distribution with this mean.
    double memory_order_cycles = 0;
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
    double dram_burst_cycles = 0;      // that an SM may ask later for what it has left of its share
    double dram_turn_cycles = 0;       // of a channel, from reading to writing and back
    double dram_achieved_share = 0.9;  // of the peak; below 1
    double dram_channel_rate = 0;      // bytes a cycle of one of the GPU's; 0: nothing waits there
    double page_cycles = 500;          // more, for the first load from a page of a cold launch
    double l2_granule_bytes = 64;      // that a request to one line takes of the L2 at least
    double l2_bytes_per_cycle = 4000;  // of the whole GPU
    double l2_bytes_per_cycle_per_sm = 64;  // of one SM's port
    // Of the whole GPU: sectors that stores send, with one more for each line whose sectors are not written whole; and
    // lines at most. One SM alone sends one of them a cycle.
    double l2_store_lines_per_cycle = 32, l2_store_sectors_per_cycle = 128;
    // Sectors that it reads again to go on writing them, and the bytes stored in between of which it keeps one in e.
    double l2_completed_sectors_per_cycle = 10, l2_kept_bytes = 1e9;
    double l2_bulk_lines_per_cycle = 20;  // that the copy engine stores, of the whole GPU
    double merged_store_lines = 0;  // at most, of a store that the next one can merge with, ...
    double merge_cycles = 0;        // ... also so long after it has left
    // Of a line of a store on its way out of the SM; and of how many lines that the L2 has not taken yet the SM goes on.
    double store_port_cycles = 0, stores_on_the_way = 0;
    // In which SMs even out what they ask for: what an SM has left of its share of the L2 for so long it can still use, as
    // others leave theirs at other times; and of so long ago counts how busy channels of DRAM and slices of the L2 are.
    double l2_burst_cycles = 0;
    double l2_request_cycles = 1;   // of a line that a load asks for, on the way there
    double l2_request_sectors = 0;  // as how many that are stored it keeps its slice busy
    // Until there is room for lines that the L2 lacks, where so much of it is written; for less in proportion.
    double l2_room_cycles = 0, l2_room_share = 0.04;
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

    // Cycles that an instruction of a warp keeps the unit busy, in the whole SM.
    double unit_cycles(Unit unit) const;
    // How long a launch waits at last for room in the L2, which lacks so much of what it reads, or of what it writes.
    double eviction_delay(double missing_bytes) const;
    // By how much the last of so many loads from DRAM comes later than one of them: latencies are exponential.
    double cycles_to_last_of(double count) const;
    double latency_of(Unit unit) const;
};

}  // namespace timing
