#include "timing/memory/copy_time.hpp"

#include <algorithm>

#include "emulator/models/memory/coalescing.hpp"
#include "timing/memory/dram.hpp"

namespace timing {

double copy_seconds(const Machine& machine, const CopyFacts& facts) {
    if (facts.link_bytes > 0) {
        const double rate = facts.is_pageable ? std::min(machine.pageable_bytes_per_second,
                                                         machine.link_bytes_per_second)
                                              : machine.link_bytes_per_second;
        return machine.link_seconds + facts.link_bytes / rate;
    }
    const double missing = 1 - facts.found_in_l2;
    const double of_dram =
        missing * Dram::copy_cycles(machine, facts.read_bytes, facts.written_bytes);
    const double of_l2 =
        facts.read_bytes / machine.l2_bytes_per_cycle +
        facts.written_bytes / (machine.l2_store_sectors_per_cycle * emulator::sector_bytes);
    // The first data come back, and the last ones are acknowledged, as those of a kernel's loads and stores.
    const double first = missing > 0 ? machine.dram_cycles : machine.l2_cycles;
    const double last = machine.l2_cycles + machine.writeback_delay(missing * facts.written_bytes) +
                        machine.writeback_delay(missing * facts.read_bytes) +
                        machine.launch_tail_cycles_per_sm * machine.sms;
    // Each SM copies a part of its own.
    const double last_sm =
        facts.read_bytes > 0 ? missing * machine.cycles_to_last_of(machine.sms) : 0;
    const double cycles = first + std::max(of_dram, of_l2) + last + last_sm;
    return machine.launch_seconds + cycles / machine.clock_hz;
}

}  // namespace timing
