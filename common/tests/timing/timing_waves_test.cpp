// Launches of which the first wave of blocks alone was recorded, or of its warps the beginning: the rest goes on as what was
// recorded did once the SM was full.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "emulator/models/architecture.hpp"
#include "timing/machine/machine_table.hpp"
#include "timing/sm/launch_time.hpp"
#include "timing_fixture.hpp"

namespace timing {
namespace {

// Eight instructions of which none waits for another one.
std::vector<Instruction> independent() {
    std::vector<Instruction> body;
    for (Register to = 0; to < 8; ++to) body.push_back(arithmetic({}, to));
    return body;
}

// Warps that execute `body` so many times, of which the first `recorded` are in the trace. Each of its accesses loads a line
// that nothing else touches.
LaunchTrace rounds_of(const std::vector<Instruction>& body, std::size_t blocks, std::size_t warps,
                      std::uint64_t executed, std::uint64_t recorded) {
    LaunchTrace trace;
    trace.program.blocks = {{body}};
    trace.program.registers = 16;
    Access load;
    load.kind = Access::Kind::load;
    load.space = Space::global;
    load.bytes = 128;
    load.sectors = 4;
    load.line_count = 1;
    trace.blocks.assign(blocks, BlockTrace(warps));
    for (BlockTrace& block : trace.blocks) {
        for (WarpTrace& warp : block) {
            warp.recorded = recorded * body.size();
            warp.executed = executed * body.size();
            for (std::uint64_t round = 0; round < recorded; ++round) {
                warp.steps.push_back({0, static_cast<std::uint32_t>(warp.accesses.size())});
                for (const Instruction& each : body) {
                    if (each.access == no_access) continue;
                    load.first_line = static_cast<std::uint32_t>(trace.lines.size());
                    trace.lines.emplace_back(trace.lines.size() * emulator::line_bytes, 0xf);
                    warp.accesses.push_back(load);
                }
            }
        }
    }
    return trace;
}

LaunchFacts facts_of(std::uint64_t sm_blocks, unsigned resident, unsigned sms = 1) {
    LaunchFacts facts;
    facts.blocks = sm_blocks * sms;
    facts.sm_blocks = sm_blocks;
    facts.resident_blocks = resident;
    return facts;
}

double cycles(const LaunchTrace& trace, const LaunchFacts& facts,
              const Machine& machine = plain_machine()) {
    return predict(machine, trace, facts).seconds;  // a second is a cycle
}

// Four warps of 4,000 instructions each, and one instruction a cycle; the first 400 of each are recorded.
TEST(Waves, WhatIsCutOfWarpsIsIssuedAsFastAsWhatWasRecorded) {
    EXPECT_NEAR(cycles(rounds_of(independent(), 1, 4, 500, 50), facts_of(1, 1)), 16'000, 2);
}

// Blocks of 1,600 instructions.
TEST(Waves, BlocksThatComeLaterAreIssuedAsFastAsTheFirstWave) {
    for (const unsigned resident : {1u, 2u}) {
        const LaunchTrace trace = rounds_of(independent(), resident, 4, 50, 50);
        for (const std::uint64_t blocks : {2u, 3u, 10u})
            EXPECT_NEAR(cycles(trace, facts_of(blocks, resident)), 1'600. * blocks, 3) << resident;
    }
}

TEST(Waves, ABlockThatWasCutAndComesAgainIsBoth) {
    EXPECT_NEAR(cycles(rounds_of(independent(), 1, 4, 500, 50), facts_of(10, 1)), 160'000, 20);
    const Prediction prediction =
        predict(plain_machine(), rounds_of(independent(), 2, 4, 500, 50), facts_of(10, 2));
    EXPECT_NEAR(prediction.clocks.cycles_per_wave, 32'000, 5);
}

TEST(Waves, WhatWasRecordedWholeIsNotExtrapolated) {
    const LaunchTrace trace = rounds_of(independent(), 3, 4, 50, 50);
    for (const unsigned resident : {1u, 3u}) {
        const LaunchFacts facts = facts_of(3, resident);
        const SmResult sm = SmSimulation(plain_machine(), trace, facts).run();
        EXPECT_EQ(sm.cycles, 4'800) << resident;
        EXPECT_EQ(sm.whole_cycles, sm.cycles) << resident;
        EXPECT_EQ(sm.cycles_per_block, sm.cycles / 3) << resident;
    }
}

// Of three blocks one after another, each of 1,600 cycles, the second one says what those behind them take.
TEST(Waves, WhereSeveralWavesWereRecordedTheySayWhatABlockTakes) {
    EXPECT_EQ(cycles(rounds_of(independent(), 3, 4, 50, 50), facts_of(10, 1)), 16'000);
}

// ---- whose loads wait for DRAM

// Blocks of a warp, each of whose 17 loads waits for the one before it: 100 cycles for the L2, and 500 for DRAM, from which
// one line in eight comes. All is new to the launch.
double end_of_chains(std::size_t recorded, std::uint64_t sm_blocks, unsigned resident) {
    Machine machine = plain_machine();
    machine.l2_bytes_per_cycle = machine.l2_bytes_per_cycle_per_sm = 1e9;
    machine.l2_cycles = 100;
    machine.dram_cycles = 500;
    LaunchFacts facts = facts_of(sm_blocks, resident);
    facts.cold_share = 1;
    facts.dram_share_of_reads = 1. / 8;
    facts.dram_bytes_per_read_sector = 0.001;
    const LaunchTrace trace = rounds_of({memory(Space::global, 0, {0}, {0})}, recorded, 1, 17, 17);
    return SmSimulation(machine, trace, facts).run().block_ends.back();
}

// What one SM asks for first, all ask for first.
TEST(Waves, AFirstWaveWaitsForWhatIsNew) {
    EXPECT_NEAR(end_of_chains(1, 1, 1), 16 * 500, 5);
    // A second block finds 14 of 16 lines in the L2.
    for (const std::uint64_t sm_blocks : {2u, 100u})
        EXPECT_NEAR(end_of_chains(2, sm_blocks, 1), 16 * 500 + 14 * 100 + 2 * 500, 5);
}

TEST(Waves, AFirstWaveThatStandsForLaterOnesWaitsAsTheyDo) {
    EXPECT_NEAR(end_of_chains(1, 2, 1), 14 * 100 + 2 * 500, 5);
    EXPECT_NEAR(end_of_chains(1, 100, 1), 14 * 100 + 2 * 500, 5);
    // Of two blocks side by side every fourth line of one, at most.
    EXPECT_LE(end_of_chains(2, 4, 2), 12 * 100 + 4 * 500 + 5);
    // The first one is the larger part of one and a half.
    EXPECT_NEAR(end_of_chains(2, 3, 2), 16 * 500, 5);
}

// ---- what has to hold of any launch

const Machine& hopper() {
    static const Machine machine = [] {
        Machine result = machine_of(*emulator::find_architecture("hopper"));
        result.launch_seconds = 0;
        // Warps that are luckier than others leave those alone at last, which is another matter.
        result.dram_spread_cycles = 0;
        return result;
    }();
    return machine;
}

// A round of an inner loop: loads, and arithmetic on what they bring.
std::vector<Instruction> random_round(unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Instruction> body;
    const std::uint32_t loads = 1 + random() % 3;
    for (std::uint32_t i = 0; i < loads; ++i) body.push_back(memory(Space::global, i, {}, {i}));
    const std::uint32_t operations = 8 + random() % 24;
    for (std::uint32_t i = 0; i < operations; ++i)
        body.push_back(arithmetic({i % loads}, 8 + i % 8));
    return body;
}

LaunchFacts of_hopper(std::uint64_t sm_blocks, unsigned seed) {
    LaunchFacts facts = facts_of(sm_blocks, 4, hopper().sms);
    facts.dram_share_of_reads = facts.cold_share = seed % 2;
    facts.dram_bytes_per_read_sector = 32 * facts.cold_share;
    return facts;
}

constexpr unsigned seeds = 12;

// 8 instructions a round: 125,000 for all draws are 7 draws of 16,000, and 5 at least are made, 25 at most.
TEST(Waves, ShortLaunchesAreDrawnMoreOften) {
    EXPECT_EQ(draws_of(rounds_of(independent(), 1, 1, 1, 1)), 25u);
    EXPECT_EQ(draws_of(rounds_of(independent(), 2, 2, 500, 500)), 7u);
    EXPECT_EQ(draws_of(rounds_of(independent(), 4, 4, 10'000, 10'000)), 5u);
}

// Launches back to back take what they take in the mean.
TEST(Waves, ALaunchTakesTheMeanOfItsDraws) {
    Machine machine = hopper();
    machine.dram_spread_cycles = 100;
    const LaunchTrace trace = rounds_of(random_round(1), 4, 8, 4, 4);
    const LaunchFacts facts = of_hopper(4, 1);
    const unsigned draws = draws_of(trace);
    double sum = 0;
    std::set<double> different;
    for (unsigned draw = 0; draw < draws; ++draw) {
        const SmResult sm = SmSimulation(machine, trace, facts, draw).run();
        sum += sm.cycles + sm.end_cycles;
        different.insert(sm.cycles);
    }
    EXPECT_GT(different.size(), 10u);
    EXPECT_NEAR(predict(machine, trace, facts).seconds * machine.clock_hz, sum / draws, 1e-6 * sum);
}

TEST(Property, CutWarpsTakeAsLongAsWholeOnes) {
    for (unsigned seed = 0; seed < seeds; ++seed) {
        const auto seconds = [&](std::uint64_t recorded) {
            const LaunchTrace trace = rounds_of(random_round(seed), 4, 8, 160, recorded);
            return predict(hopper(), trace, of_hopper(4, seed)).seconds;
        };
        EXPECT_NEAR(seconds(40) / seconds(160), 1, 0.04) << seed;
    }
}

TEST(Property, TwiceAsManyLongBlocksTakeTwiceAsLong) {
    for (unsigned seed = 0; seed < seeds; ++seed) {
        const LaunchTrace trace = rounds_of(random_round(seed), 4, 8, 400, 40);
        const auto seconds = [&](std::uint64_t sm_blocks) {
            return predict(hopper(), trace, of_hopper(sm_blocks, seed)).seconds;
        };
        EXPECT_NEAR(seconds(32) / seconds(16), 2, 0.06) << seed;
    }
}

// Waves of 100,000 instructions, of which three do not fit a trace. A load for the first instructions of a block, for which
// later waves would wait as well, is then a small part.
TEST(Property, AFirstWaveAloneSaysWhatAllWavesTake) {
    for (unsigned seed = 0; seed < seeds / 2; ++seed) {
        const std::vector<Instruction> round = random_round(seed);
        const std::uint64_t rounds = 100'000 / (4 * 8 * round.size());
        const auto seconds = [&](std::size_t recorded) {
            const LaunchTrace trace = rounds_of(round, recorded, 8, rounds, rounds);
            return predict(hopper(), trace, of_hopper(12, seed)).seconds;
        };
        EXPECT_NEAR(seconds(4) / seconds(12), 1, 0.03) << seed;
    }
}

}  // namespace
}  // namespace timing
