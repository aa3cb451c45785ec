#include "timing/sm/launch_time.hpp"

#include <algorithm>
#include <vector>

namespace timing {
namespace {

// Below this share of its limit no unit bounds a launch.
constexpr double min_share_of_a_bound = 0.5;
constexpr double min_draws = 5, max_draws = 25;
constexpr double instructions_of_draws =
    125'000;  // of warps, together, where there are more than min_draws

// Cycles from the end of one of the SM's blocks to that of the next one: between the end of the first wave and
// the start of the last one; where nothing lies between, as SmSimulation::extrapolate has it.
double cycles_per_block(const SmResult& sm, const LaunchFacts& facts) {
    const std::size_t recorded = sm.block_ends.size();
    const std::size_t resident = std::min<std::size_t>(facts.resident_blocks, recorded);
    const std::size_t last = recorded - resident;
    const std::size_t first = std::min(resident, last);
    if (last <= first) return sm.cycles_per_block;
    return (sm.block_ends[last - 1] - sm.block_ends[first - 1]) / static_cast<double>(last - first);
}

// Cycles of the recorded SM until its last block has finished.
double cycles_of(const SmResult& sm, const LaunchFacts& facts) {
    const std::size_t recorded = sm.block_ends.size();
    if (recorded == 0 || facts.sm_blocks <= recorded) return sm.whole_cycles;
    return sm.whole_cycles +
           static_cast<double>(facts.sm_blocks - recorded) * cycles_per_block(sm, facts);
}

ClockReads clocks_of(const Machine& machine, SmResult& sm, const LaunchFacts& facts) {
    ClockReads result{.warps = std::move(sm.clocks)};
    result.sms = machine.sms;
    result.resident_blocks = std::max(1u, facts.resident_blocks);
    result.clock_hz = machine.clock_hz;
    result.cycles_per_wave =
        static_cast<double>(result.resident_blocks) * cycles_per_block(sm, facts);
    return result;
}

void note_shares(const Machine& machine, const SmResult& sm, const LaunchFacts& facts,
                 Prediction& result) {
    const auto set = [&](Bound bound, double share) {
        result.shares[static_cast<std::size_t>(bound)] = std::min(1.0, share);
    };
    const double running = 1 - machine.launch_seconds / result.seconds;
    const auto of_sm = [&](double busy) { return running * busy / std::max(1.0, sm.cycles); };
    const double starting = static_cast<double>(facts.blocks) / machine.blocks_per_second;
    set(Bound::launch, (machine.launch_seconds + starting) / result.seconds);
    set(Bound::issue, of_sm(sm.busy.issue / machine.schedulers));
    set(Bound::fp32, of_sm(sm.busy.units[static_cast<std::size_t>(Unit::fp32)]));
    set(Bound::integer, of_sm(sm.busy.units[static_cast<std::size_t>(Unit::integer)]));
    set(Bound::fp64, of_sm(sm.busy.units[static_cast<std::size_t>(Unit::fp64)]));
    set(Bound::sfu, of_sm(sm.busy.units[static_cast<std::size_t>(Unit::sfu)]));
    set(Bound::tensor, of_sm(sm.busy.units[static_cast<std::size_t>(Unit::tensor)]));
    set(Bound::lsu, of_sm(sm.busy.units[static_cast<std::size_t>(Unit::memory)]));
    set(Bound::shared, of_sm(sm.busy.shared));
    set(Bound::l1, of_sm(sm.busy.data - sm.busy.shared));
    set(Bound::l2, of_sm(std::max(sm.busy.l2, sm.busy.requests)));
    set(Bound::dram, of_sm(sm.busy.dram));
    set(Bound::atomics, of_sm(sm.busy.atomics));
}

struct Draws {
    SmResult middle;  // of the one that takes neither the longest nor the shortest
    double mean_cycles;
};

// Queueing and its order are random. Launches back to back take the mean.
Draws draws_of_sm(const Machine& machine, const LaunchTrace& trace, const LaunchFacts& facts) {
    const unsigned draws = draws_of(trace);
    const auto cycles = [&](const SmResult& sm) { return cycles_of(sm, facts) + sm.end_cycles; };
    std::vector<SmResult> results;
    double sum = 0;
    for (unsigned draw = 0; draw < draws; ++draw) {
        results.push_back(SmSimulation(machine, trace, facts, draw).run());
        sum += cycles(results.back());
    }
    const auto middle = results.begin() + draws / 2;
    std::ranges::nth_element(results, middle, {}, cycles);
    return {std::move(*middle), sum / draws};
}

}  // namespace

std::string_view text(Bound bound) {
    constexpr std::array<std::string_view, bound_count> names{
        "launch", "issue",  "fp32", "fp64", "int",  "sfu",     "tensor",
        "lsu",    "shared", "l1",   "l2",   "dram", "atomics", "latency"};
    return names[static_cast<std::size_t>(bound)];
}

unsigned draws_of(const LaunchTrace& trace) {
    double recorded = 1;
    for (const BlockTrace& block : trace.blocks) {
        for (const WarpTrace& warp : block) recorded += static_cast<double>(warp.recorded);
    }
    // Of an odd number one is in the middle.
    return static_cast<unsigned>(
               std::clamp(instructions_of_draws / recorded, min_draws, max_draws)) |
           1;
}

Prediction predict(const Machine& machine, const LaunchTrace& trace, const LaunchFacts& facts) {
    auto [sm, mean_cycles] = draws_of_sm(machine, trace, facts);
    Prediction result;
    // What was recorded may find more in the caches than the rest of the launch.
    const double least = facts.dram_bytes / machine.dram_bytes_per_cycle;
    const double cycles = std::max(least, mean_cycles);
    result.seconds = machine.launch_seconds + cycles / machine.clock_hz;
    note_shares(machine, sm, facts, result);
    const auto highest = std::max_element(result.shares.begin(), result.shares.end());
    result.bound = *highest < min_share_of_a_bound
                       ? Bound::latency
                       : static_cast<Bound>(highest - result.shares.begin());
    result.stalls = std::move(sm.stalls);
    result.clocks = clocks_of(machine, sm, facts);
    return result;
}

}  // namespace timing
