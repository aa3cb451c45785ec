// What warps of an SM wait for beyond their operands: each other at barriers, and copies.
#include <algorithm>
#include <utility>

#include "timing/sm/sm_simulation.hpp"

namespace timing {

void SmSimulation::arrive(std::uint32_t number, double now) {
    Warp& warp = warps_[number];
    warp.at_barrier = true;
    Resident& block = residents_[warp.block];
    block.noted =
        arrivals_.serve(now, machine_.barrier_arrival_cycles) + machine_.barrier_arrival_cycles;
    if (++block.arrived == block.alive) release(block, now);
}

void SmSimulation::release(Resident& block, double now) {
    block.arrived = 0;
    for (const std::uint32_t number : block.warps) {
        Warp& warp = warps_[number];
        if (!warp.at_barrier) continue;
        warp.at_barrier = false;
        wait_until(number, std::max(now, block.noted) + machine_.barrier_cycles, Stall::barrier);
    }
}

// Those that wait for it go on.
void SmSimulation::note_copy(Warp& warp, const Instruction& instruction, const Access& access,
                             double done) {
    if (access.kind != Access::Kind::bulk_load) {
        double& group = groups_of(warp, instruction).back();
        group = std::max(group, done);
        return;
    }
    if (access.copies == 0) return;  // none of its lanes copied anything
    Resident& block = residents_[warp.block];
    std::vector<double>& copies = block.copies[access.barrier];
    copies.push_back(copies.empty() ? done : std::max(copies.back(), done));
    for (const std::uint32_t each : std::exchange(block.waiting_for_copies, {})) await_copies(each);
}

// Behind a test of an mbarrier.
void SmSimulation::await_copies(std::uint32_t number) {
    const Warp& warp = warps_[number];
    Resident& block = residents_[warp.block];
    const auto& at = trace_.program.blocks[warp.trace->steps[warp.step].block];
    const Instruction& test = at.instructions[warp.instruction - 1];
    if (test.access == no_access) return await_next(number);
    const Access& access = access_of(warp, test);
    if (access.kind != Access::Kind::barrier_test || access.copies == 0) return await_next(number);
    const std::vector<double>& copies = block.copies[access.barrier];
    if (copies.size() < access.copies) return block.waiting_for_copies.push_back(number);
    wait_until(number, copies[access.copies - 1], Stall::memory);
}

// For its own groups of copies, all but the last ones.
void SmSimulation::await_groups(std::uint32_t number, const Instruction& instruction) {
    const std::vector<double>& groups = groups_of(warps_[number], instruction);
    double until = 0;
    for (std::size_t i = 0; i + 1 + instruction.groups < groups.size(); ++i)
        until = std::max(until, groups[i]);
    wait_until(number, until, Stall::memory);
}

// The instruction that it has issued last holds it so long.
void SmSimulation::wait_until(std::uint32_t number, double until, Stall reason) {
    Warp& warp = warps_[number];
    if (until > warp.issued) {
        const auto& at = trace_.program.blocks[warp.trace->steps[warp.step].block];
        const std::uint16_t line = at.instructions[warp.instruction - 1].line;
        result_.stalls[line][static_cast<std::size_t>(reason)] += until - warp.issued;
        warp.issued = until;
        last_ = std::max(last_, until);
    }
    await_next(number);
}

// Warps that wait for others which have no recorded instructions left go on.
bool SmSimulation::release_stuck() {
    bool found = false;
    for (Resident& block : residents_) {
        if (!block.waiting_for_copies.empty()) {
            found = true;
            for (const std::uint32_t each : std::exchange(block.waiting_for_copies, {}))
                wait_until(each, last_, Stall::memory);
            continue;  // they may still arrive at the barrier
        }
        if (block.arrived == 0) continue;
        found = true;
        release(block, last_);
    }
    return found;
}

}  // namespace timing
