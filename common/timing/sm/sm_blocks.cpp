// Blocks of an SM and their warps: how they begin and end.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "timing/sm/sm_simulation.hpp"

namespace timing {

void SmSimulation::start_block(std::uint32_t resident, double now) {
    const double begin = is_first_wave_ ? now : now + machine_.block_launch_cycles;
    const BlockTrace& block = trace_.blocks[next_block_];
    std::vector<WarpClock>& clocks = result_.clocks[next_block_];
    Resident& place = residents_[resident];
    place.number = next_block_++;
    place.alive = static_cast<std::uint32_t>(block.size());
    place.arrived = 0;
    place.copies.clear();
    for (std::size_t i = 0; i < block.size(); ++i) {
        warps_[place.warps[i]].clock = &clocks[i];
        start_warp(place.warps[i], block[i], begin);
    }
}

void SmSimulation::start_warp(std::uint32_t number, const WarpTrace& trace, double now) {
    Warp& warp = warps_[number];
    warp.trace = &trace;
    *warp.clock = {.cycles = {},
                   .instructions = trace.clock_instructions,
                   .recorded = trace.recorded,
                   .begin = now,
                   .end = now};
    warp.step = warp.instruction = 0;
    warp.age = next_age_++;
    warp.issued = warp.ready = warp.last_dequeue_time = now;
    warp.at_barrier = warp.is_done = warp.awaits_service = false;
    warp.in_line = warp.queued_copies = 0;
    for (std::vector<double>& groups : warp.groups) groups.assign(1, 0);
    warp.is_in_first_wave = is_first_wave_ && !represents_steady_state_;
    const auto first = static_cast<std::ptrdiff_t>(warp.registers);
    std::fill_n(ready_.begin() + first, trace_.program.registers, now);
    std::fill_n(source_.begin() + first, trace_.program.registers, std::uint8_t{0});
    await_next(number);
}

void SmSimulation::finish_warp(std::uint32_t number, double now) {
    Warp& warp = warps_[number];
    warp.is_done = true;
    warp.awaits_service = false;
    warp.clock->end = now;
    // Warps with little to do end before the SM has shown its pace.
    if (first_end_ == 0 && 2 * warp.trace->executed >= longest_) first_end_ = result_.instructions;
    Resident& block = residents_[warp.block];
    if (--block.alive > 0) {
        if (block.arrived == block.alive && block.arrived > 0) release(block, now);
        return;
    }
    result_.block_ends.push_back(now);
    // The GPU notes one end of a block after another; all SMs have theirs alike.
    const double cycles = active_sms_ * machine_.clock_hz / machine_.blocks_per_second;
    const double noted = block_ends_.serve(now, cycles);
    last_ = std::max(last_, noted + cycles);
    if (next_block_ < trace_.blocks.size()) start_block(warp.block, noted);
}

}  // namespace timing
