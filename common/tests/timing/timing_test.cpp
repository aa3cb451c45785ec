// Schedules worked out by hand, and what has to hold of any.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <vector>

#include "emulator/ptxas/instructions/liveness.hpp"
#include "emulator/ptxas/instructions/reorder.hpp"
#include "timing/machine/machine_table.hpp"
#include "timing/memory/copy_time.hpp"
#include "timing/memory/dram.hpp"
#include "timing/sm/launch_time.hpp"
#include "timing_fixture.hpp"

namespace timing {
namespace {

Instruction barrier() {
    Instruction result;
    result.wait = Wait::barrier;
    return result;
}

double cycles(const Machine& machine, const LaunchTrace& trace) {
    return SmSimulation(machine, trace, LaunchFacts{}).run().cycles;
}

const std::vector<Instruction> chain{arithmetic({}, 0), arithmetic({0}, 1)};

TEST(Schedule, ASecondInstructionWaitsForTheFirst) {
    // Issue at 0 and at 4, where the result is there; over a cycle later.
    EXPECT_EQ(cycles(plain_machine(), trace_of(chain, 1)), 5);
}

TEST(Schedule, TwoWarpsTakeTurns) {
    // 0 and 1, then 4 and 5.
    EXPECT_EQ(cycles(plain_machine(), trace_of(chain, 2)), 6);
}

TEST(Schedule, AUnitOfHalfTheWidthTakesAnInstructionEverySecondCycle) {
    Machine machine = plain_machine();
    machine.fp32_lanes = 16;
    // 0 and 2, then 4 and 6.
    EXPECT_EQ(cycles(machine, trace_of(chain, 2)), 7);
}

TEST(Schedule, ConflictsOfSharedMemoryQueueInTheDataPath) {
    LaunchTrace trace = trace_of({memory(Space::shared, 0, {}, {0}), arithmetic({0}, 1)}, 2);
    Access access;
    access.kind = Access::Kind::load;
    access.space = Space::shared;
    access.wavefronts = 4;
    for (WarpTrace& warp : trace.blocks[0]) warp.accesses = {access};
    // The first warp's passes take cycles 0 to 3, the second one's 4 to 7; each result comes 23 after the
    // last pass: 26 and 30.
    EXPECT_EQ(cycles(plain_machine(), trace), 31);
}

TEST(Schedule, ABarrierWaitsForTheLastWarp) {
    LaunchTrace trace = trace_of({arithmetic({}, 0), barrier(), arithmetic({}, 1)}, 2);
    trace.program.blocks.push_back(
        {{arithmetic({}, 2), arithmetic({}, 3), arithmetic({}, 4), barrier(), arithmetic({}, 5)}});
    trace.blocks[0][1].steps = {{1, 0}};
    // First warp: 0, barrier at 1. Second one: 2, 3, 4, barrier at 5. All go on 12 cycles after it: 18, 19.
    EXPECT_EQ(cycles(plain_machine(), trace), 20);
}

TEST(Schedule, ArrivalsAtABarrierAreNotedOneAfterAnother) {
    Machine machine = plain_machine();
    machine.barrier_cycles = 10;
    machine.barrier_arrival_cycles = 2;
    // Four warps arrive at 1 to 4; noted until 3, 5, 7 and 9. At 19 they go on, the last one at 22.
    EXPECT_EQ(cycles(machine, trace_of({barrier(), arithmetic({}, 0)}, 4)), 23);
    // Two blocks of two: the second one's arrivals are noted behind the first one's, until 7 and 9.
    LaunchTrace trace = trace_of({barrier(), arithmetic({}, 0)}, 2);
    trace.blocks.push_back(trace.blocks[0]);
    LaunchFacts facts;
    facts.resident_blocks = 2;
    EXPECT_EQ(SmSimulation(machine, trace, facts).run().cycles, 9 + 10 + 2);
}

TEST(Schedule, ABarrierThatAnExitCompletesWaitsForWhatIsStillNoted) {
    Machine machine = plain_machine();
    machine.barrier_cycles = 10;
    machine.barrier_arrival_cycles = 20;
    // Two warps arrive at 1 and 2, noted until 21 and 41; the third one has ended at 3.
    LaunchTrace trace = trace_of({barrier(), arithmetic({}, 0)}, 3);
    trace.program.blocks.push_back({{arithmetic({}, 1)}});
    trace.blocks[0][2].steps = {{1, 0}};
    EXPECT_EQ(cycles(machine, trace), 41 + 10 + 2);
}

TEST(Schedule, AFreeInstructionPassesItsOperandOn) {
    Instruction move = arithmetic({0}, 1);
    move.slots = 0;
    EXPECT_EQ(cycles(plain_machine(), trace_of({arithmetic({}, 0), move, arithmetic({1}, 2)}, 1)),
              5);
}

TEST(Schedule, AConstantIsReadForOneAddressAfterAnother) {
    LaunchTrace trace = trace_of({memory(Space::constant, 0, {}, {0}), arithmetic({0}, 1)}, 2);
    Access access;
    access.kind = Access::Kind::load;
    access.space = Space::constant;
    access.wavefronts = 4;
    for (WarpTrace& warp : trace.blocks[0]) warp.accesses = {access};
    Machine machine = plain_machine();
    machine.constant_cycles = 8;
    // Addresses of the first warp in cycles 0 to 3, of the second one in 4 to 7; each last one is there 8 cycles
    // after its turn began: 11 and 15.
    EXPECT_EQ(cycles(machine, trace), 16);
}

TEST(Schedule, EndsOfBlocksAreNotedOneAfterAnother) {
    LaunchTrace trace = trace_of(chain, 1);
    trace.blocks.resize(2, trace.blocks[0]);
    Machine machine = plain_machine();
    machine.block_launch_cycles = 7;
    // The first block ends at 5, the second one begins 7 cycles later and takes as long.
    EXPECT_EQ(cycles(machine, trace), 17);
    // The GPU needs 20 cycles for each end of a block: from 5 to 25 for the first one. It gives the place away at once,
    // so that the second one ends at 17, but notes that from 25 to 45.
    machine.blocks_per_second = 0.05;
    EXPECT_EQ(cycles(machine, trace), 45);
}

Instruction clock_into(Register destination) {
    Instruction result;
    result.reads_clock = true;
    result.destinations = {destination};
    return result;
}

// Three registers come from the banks in two cycles.
TEST(Schedule, AMultiplyAddThatKeepsNoOperandTakesTwoCyclesOfItsUnit) {
    Machine machine = plain_machine();
    machine.fma_bank_conflict_cycles = 2;
    std::vector<Instruction> three{arithmetic({}, 0), arithmetic({}, 1), arithmetic({}, 2)};
    EXPECT_EQ(cycles(machine, trace_of(three, 1)), 3);
    three[1].has_no_operand_reuse = true;
    // Issue at 0, 1 and 3.
    EXPECT_EQ(cycles(machine, trace_of(three, 1)), 4);
    // With half the lanes each takes as long anyway: 0, 2 and 4.
    machine.fp32_lanes = 16;
    EXPECT_EQ(cycles(machine, trace_of(three, 1)), 5);
}

TEST(Clocks, ShowWhenTheyAreRead) {
    const LaunchTrace trace = trace_of(
        {clock_into(0), arithmetic({}, 1), arithmetic({1}, 2), arithmetic({2}, 3), clock_into(4)},
        2);
    const SmResult result = SmSimulation(plain_machine(), trace, LaunchFacts{}).run();
    // First warp: 0, 1, 5, 9, 10; the second one issues when it does not: 2, 3, 7, 11, 12.
    EXPECT_EQ(result.clocks[0][0].cycles, (std::vector<double>{0, 10}));
    EXPECT_EQ(result.clocks[0][1].cycles, (std::vector<double>{2, 12}));
}

TEST(Clocks, OfLaterBlocksGoOnAsTheRecordedOnes) {
    const auto warp = [](std::vector<double> cycles) {
        return WarpClock{.cycles = std::move(cycles), .instructions = {}};
    };
    ClockReads reads{.warps = {{warp({10, 14})}, {warp({20, 24})}}};
    reads.sms = 3;
    reads.resident_blocks = 2;
    reads.cycles_per_wave = 100;
    reads.launch_began = 1000;
    EXPECT_EQ(reads.at(0, 0, 1), 1014);
    EXPECT_EQ(reads.at(2, 0, 0), 1010);      // the first one of another SM
    EXPECT_EQ(reads.at(3 + 1, 0, 0), 1020);  // its second one
    EXPECT_EQ(reads.at(2 * 3, 0, 0), 1110);  // the second wave
    EXPECT_EQ(reads.at(5 * 3 + 2, 0, 1), 1224);
    EXPECT_EQ(reads.at(0, 0, 3), 1022);  // beyond what was recorded
}

// Of 500 instructions in 1,000 cycles: the one that reads the clock after 800 does so 600 cycles later.
TEST(Clocks, BehindWhatWasRecordedInstructionsTakeTheirMean) {
    ClockReads reads{.warps = {{{.cycles = {10},
                                 .instructions = {1, 800},
                                 .recorded = 500,
                                 .begin = 0,
                                 .end = 1000}}}};
    EXPECT_EQ(reads.at(0, 0, 0), 10);
    EXPECT_EQ(reads.at(0, 0, 1), 1600);
    EXPECT_EQ(reads.at(0, 0, 2), 3190);  // as much later again
}

TEST(Reorder, NothingPassesAClock) {
    Instruction load = memory(Space::global, 0, {}, {0});
    load.reads_memory = true;
    const auto ordered = reorder(
        {arithmetic({}, 1), clock_into(2), arithmetic({}, 3), load, clock_into(4), load}, 16);
    EXPECT_FALSE(ordered[0].reads_clock);
    EXPECT_TRUE(ordered[1].reads_clock);
    EXPECT_EQ(ordered[2].access, 0u);  // first of those between
    EXPECT_TRUE(ordered[4].reads_clock);
}

TEST(Reorder, LoadsComeFirstAsFarAsRegistersAllow) {
    const auto load = [](Register to) {
        Instruction result = memory(Space::global, no_access, {}, {to});
        result.reads_memory = true;
        return result;
    };
    const std::vector<Instruction> block{load(0), arithmetic({0}, 4), load(1), arithmetic({1}, 5)};
    const auto destinations = [](const std::vector<Instruction>& instructions) {
        std::vector<Register> result;
        for (const Instruction& each : instructions) result.push_back(each.destinations[0]);
        return result;
    };
    EXPECT_EQ(destinations(reorder(block, 2)), (std::vector<Register>{0, 1, 4, 5}));
    EXPECT_EQ(destinations(reorder(block, 1)), (std::vector<Register>{0, 4, 1, 5}));
}

// A load's register is free behind the last use of its value, whatever becomes of its address.
TEST(Reorder, AnAddressThatChangesHoldsNoRegisterOfALoad) {
    const auto load = [](Register to) {
        Instruction result = memory(Space::global, no_access, {9}, {to});
        result.reads_memory = true;
        return result;
    };
    const std::vector<Instruction> block{load(0),
                                         load(1),
                                         arithmetic({0}, 4),
                                         arithmetic({1}, 5),
                                         load(2),
                                         arithmetic({2}, 6),
                                         arithmetic({9}, 9)};
    std::vector<Register> destinations;
    for (const Instruction& each : reorder(block, 2)) destinations.push_back(each.destinations[0]);
    EXPECT_EQ(destinations, (std::vector<Register>{0, 1, 4, 2, 5, 6, 9}));
}

// Register 10 is a parameter, 11 made of it once, 12 a thread's number, 13 a counter of two words that starts as
// a copy of the parameter. The loop reads them all, and a predicate.
TEST(Liveness, WhatALoopReadsLivesWhereItBegins) {
    Instruction parameter, copy;
    parameter.slots = copy.slots = 0;
    parameter.destinations = {10};
    copy.sources = {10};
    copy.destinations = {13};
    const std::vector<Instruction> before{parameter, arithmetic({10}, 11), arithmetic({}, 12),
                                          copy};
    const std::vector<Instruction> loop{arithmetic({11, 12, 13}, 15), arithmetic({13}, 13),
                                        arithmetic({13}, 14)};
    Instruction branch;
    branch.sources = {14};
    const std::vector<FlowBlock> blocks{{before, {false, false, true, false}, nullptr, {1}},
                                        {loop, {false, false, false}, &branch, {1, 2}},
                                        {{}, {}, nullptr, {}}};
    const std::vector<std::uint8_t> widths{2, 1, 1, 2, 0, 1};
    // The counter, 13, is the same for all threads.
    EXPECT_EQ(live_registers(blocks, 10, widths, true), (std::vector<unsigned>{0, 1, 0}));
    // Without uniform registers it takes two of its own, and what is made of the parameter one.
    EXPECT_EQ(live_registers(blocks, 10, widths, false), (std::vector<unsigned>{0, 4, 0}));
}

TEST(Reorder, AValueGetsARegisterOfItsOwn) {
    std::vector<Instruction> block{arithmetic({}, 0), arithmetic({0}, 1), arithmetic({}, 0),
                                   arithmetic({0}, 2)};
    EXPECT_EQ(rename(block, 8), 9u);
    // The first value moves to register 8, its user follows; the last one stays.
    EXPECT_EQ(block[0].destinations[0], 8u);
    EXPECT_EQ(block[1].sources[0], 8u);
    EXPECT_EQ(block[2].destinations[0], 0u);
    EXPECT_EQ(block[3].sources[0], 0u);
}

TEST(Reorder, LoadsDoNotPassStores) {
    Instruction store = memory(Space::global, no_access, {0}, {});
    store.writes_memory = true;
    Instruction load = memory(Space::global, no_access, {}, {1});
    load.reads_memory = true;
    const auto ordered = reorder({arithmetic({}, 0), store, load}, 8);
    EXPECT_TRUE(ordered[1].writes_memory);
    EXPECT_TRUE(ordered[2].reads_memory);
}

// ---- what has to hold of any launch

const Machine& hopper() {
    static const Machine machine = machine_of(*emulator::find_architecture("hopper"));
    return machine;
}

// Blocks of four warps that load, compute and store a few times, at places and with patterns by chance.
LaunchTrace random_trace(unsigned seed, std::size_t blocks) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t limit) { return random() % limit; };
    LaunchTrace trace;
    trace.program.registers = 16;
    BasicBlock body;
    const std::uint32_t rounds = 1 + below(4);
    for (std::uint32_t i = 0; i < rounds; ++i) {
        body.instructions.push_back(memory(Space::global, 2 * i, {}, {i}));
        for (std::uint32_t k = below(6); k > 0; --k)
            body.instructions.push_back(arithmetic({i}, 8 + below(4)));
        body.instructions.push_back(memory(Space::global, 2 * i + 1, {8}, {}));
    }
    trace.program.blocks = {body};
    const std::uint32_t lines = 1 + below(8);
    emulator::Address next = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
        BlockTrace& block = trace.blocks.emplace_back(4);
        for (WarpTrace& warp : block) {
            warp.steps = {{0, 0}};
            warp.recorded = warp.executed = body.instructions.size();
            for (std::uint32_t i = 0; i < 2 * rounds; ++i) {
                Access& access = warp.accesses.emplace_back();
                access.kind = i % 2 == 0 ? Access::Kind::load : Access::Kind::store;
                access.space = Space::global;
                access.path = emulator::LoadPath::l1;
                access.bytes = 128;
                access.sectors = static_cast<std::uint16_t>(4 * lines);
                access.first_line = static_cast<std::uint32_t>(trace.lines.size());
                access.line_count = lines;
                for (std::uint32_t k = 0; k < lines; ++k)
                    trace.lines.emplace_back((next++) * emulator::line_bytes, 0xf);
            }
        }
    }
    return trace;
}

LaunchFacts facts_of(std::uint64_t blocks_of_sm, unsigned resident) {
    LaunchFacts facts;
    facts.blocks = blocks_of_sm * hopper().sms;
    facts.sm_blocks = blocks_of_sm;
    facts.resident_blocks = resident;
    facts.l1_bytes = 128 * 1024;
    return facts;
}

// Warps that are served sooner may take others' turns at a bank of DRAM, or come when its channel has just begun to
// write: some of what is won can be lost again in a launch, and nothing of it over many. But the line of
// an SM takes one scheduler's instructions as long as there are any: where the memory unit or the L2 is faster, or arithmetic
// slower, other stores meet, and that is not made up for.
constexpr double tolerance = 1.04, tolerance_of_sum = 1.001, tolerance_of_turns = 1.002;
// Of one launch, when its warps' instructions come at other times and other stores meet.
constexpr double tolerance_of_meeting = 1.07;

double Machine::* const rates[] = {
    &Machine::dram_bytes_per_cycle,       &Machine::l2_bytes_per_cycle,
    &Machine::l2_store_sectors_per_cycle, &Machine::l1_bytes_per_cycle,
    &Machine::l1_tags_per_cycle,          &Machine::fp32_lanes,
    &Machine::blocks_per_second,          &Machine::memory_lanes,
};
double Machine::* const latencies[] = {
    &Machine::dram_cycles,      &Machine::l2_cycles,
    &Machine::l1_cycles,        &Machine::alu_cycles,
    &Machine::launch_seconds,   &Machine::block_launch_cycles,
    &Machine::dram_bank_cycles, &Machine::dram_turnaround_cycles,
};

// Seconds of random launches.
std::vector<double> seconds_of_launches(const Machine& machine) {
    std::vector<double> result;
    for (unsigned seed = 0; seed < 20; ++seed) {
        LaunchFacts facts = facts_of(24, 8);
        facts.cold_share = 1;
        facts.dram_dirty_share = 0.5;  // as many stores as loads
        result.push_back(predict(machine, random_trace(seed, 24), facts).seconds);
    }
    return result;
}

// With a quantity twice as large, over what they take now: of each, and of all.
struct Ratios {
    std::vector<double> each;
    double of_sum = 0;
};
Ratios ratios_with_twice(double Machine::* quantity) {
    static const std::vector<double> before = seconds_of_launches(hopper());
    Machine changed = hopper();
    changed.*quantity *= 2;
    const std::vector<double> after = seconds_of_launches(changed);
    Ratios result;
    std::ranges::transform(after, before, std::back_inserter(result.each), std::divides());
    result.of_sum = std::accumulate(after.begin(), after.end(), 0.0) /
                    std::accumulate(before.begin(), before.end(), 0.0);
    return result;
}

TEST(Property, MoreBandwidthIsNeverSlower) {
    for (double Machine::* const rate : rates) {
        const Ratios ratios = ratios_with_twice(rate);
        const bool changes_turns =
            rate == &Machine::memory_lanes || rate == &Machine::l2_bytes_per_cycle;
        EXPECT_LE(ratios.of_sum, changes_turns ? tolerance_of_turns : tolerance_of_sum);
        for (const double each : ratios.each) EXPECT_LE(each, tolerance);
    }
}

TEST(Property, MoreLatencyIsNeverFaster) {
    for (double Machine::* const latency : latencies) {
        const Ratios ratios = ratios_with_twice(latency);
        const bool is_of_alu = latency == &Machine::alu_cycles;
        EXPECT_GE(ratios.of_sum * (is_of_alu ? tolerance_of_turns : tolerance_of_sum), 1);
        const bool changes_meetings = is_of_alu || latency == &Machine::block_launch_cycles;
        for (const double each : ratios.each)
            EXPECT_GE(each * (changes_meetings ? tolerance_of_meeting : tolerance), 1);
    }
}

TEST(Property, TwiceTheWorkTakesTwiceTheTime) {
    Machine machine = hopper();
    machine.launch_seconds = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
        const LaunchTrace trace = random_trace(seed, 24);
        const double once = predict(machine, trace, facts_of(4000, 8)).seconds;
        const double twice = predict(machine, trace, facts_of(8000, 8)).seconds;
        EXPECT_NEAR(twice / once, 2, 0.06) << seed;
    }
}

TEST(Property, AnIdleSmChangesNothing) {
    const LaunchTrace trace = random_trace(1, 1);
    LaunchFacts facts = facts_of(1, 8);
    facts.blocks = 3;
    Machine larger = hopper();
    larger.sms *= 2;
    EXPECT_EQ(predict(hopper(), trace, facts).seconds, predict(larger, trace, facts).seconds);
}

TEST(Launch, ItsEndTakesAsLongHoweverMuchOfItIsNotRecorded) {
    Machine without = hopper();
    without.launch_tail_cycles_per_sm = 0;
    const double end = hopper().launch_tail_cycles_per_sm * hopper().sms / hopper().clock_hz;
    for (const std::uint64_t times : {1u, 3u}) {
        LaunchTrace trace = random_trace(1, 24);
        for (BlockTrace& block : trace.blocks) {
            for (WarpTrace& warp : block) {
                warp.recorded = 100;
                warp.executed = 100 * times;
            }
        }
        const LaunchFacts facts = facts_of(24 * times, 8);
        const double more =
            predict(hopper(), trace, facts).seconds - predict(without, trace, facts).seconds;
        EXPECT_NEAR(more, end, 1e-12) << times;
    }
}

TEST(Property, TheSameLaunchTakesTheSameTime) {
    const LaunchTrace trace = random_trace(7, 24);
    const Prediction one = predict(hopper(), trace, facts_of(24, 8));
    const Prediction other = predict(hopper(), trace, facts_of(24, 8));
    EXPECT_EQ(one.seconds, other.seconds);
    EXPECT_EQ(one.stalls, other.stalls);
}

TEST(Bound, IsTheUnitThatIsBusiest) {
    Machine machine = hopper();
    machine.dram_bytes_per_cycle /= 20;
    const Prediction prediction = predict(machine, random_trace(3, 24), facts_of(24, 8));
    EXPECT_EQ(text(prediction.bound), "dram");
}

TEST(Launch, IsNotFasterThanDramMovesItsBytes) {
    Machine machine = hopper();
    machine.l2_writeback_cycles =
        0;  // that the L2 makes room takes time of its own, be it for a byte
    LaunchFacts facts = facts_of(24, 8);
    const double seconds = predict(machine, random_trace(3, 24), facts).seconds;
    facts.dram_bytes = 4e9;
    const double rate = machine.dram_bytes_per_cycle * machine.clock_hz;
    EXPECT_GE(predict(machine, random_trace(3, 24), facts).seconds, 4e9 / rate);
    facts.dram_bytes = 1;
    EXPECT_EQ(predict(machine, random_trace(3, 24), facts).seconds, seconds);
}

TEST(Machines, EachGenerationHasOne) {
    for (const emulator::Architecture& architecture : emulator::architectures()) {
        const Machine machine = machine_of(architecture);
        EXPECT_GT(machine.dram_bytes_per_cycle, 0) << architecture.name;
        EXPECT_LE(machine.dram_bytes_per_cycle * machine.clock_hz,
                  architecture.dram_bytes_per_second)
            << architecture.name;
    }
}

// 1 cycle a second: 10 bytes a second over the link, 100 of DRAM, 200 read from the L2 and 4 sectors written to it. The
// first access to DRAM takes 7 and, for its page, 6.
Machine copying_machine() {
    Machine machine = plain_machine();
    machine.launch_seconds = 3;
    machine.link_seconds = 2;
    machine.link_bytes_per_second = 10;
    machine.pageable_bytes_per_second = 4;
    machine.dram_bytes_per_cycle = 100;
    machine.l2_bytes_per_cycle = 200;
    machine.l2_store_sectors_per_cycle = 4;
    machine.dram_cycles = 7;
    machine.l2_cycles = 5;
    return machine;
}

TEST(Copies, OverTheLinkTakeItsLatencyAndTheirBytes) {
    EXPECT_EQ(copy_seconds(copying_machine(), {.link_bytes = 400}), 2 + 40);
    EXPECT_EQ(copy_seconds(copying_machine(), {.link_bytes = 400, .is_pageable = true}), 2 + 100);
}

TEST(Copies, OfPageableMemoryAreNoFasterThanTheLink) {
    Machine machine = copying_machine();
    machine.pageable_bytes_per_second = 1000;
    EXPECT_EQ(copy_seconds(machine, {.link_bytes = 400, .is_pageable = true}), 2 + 40);
}

TEST(Copies, OnTheDeviceAreALaunchThatDramOrTheL2Bounds) {
    // 3 for the launch, 7 for the first access, 12,800 bytes at 100 a cycle, 5 until the L2 has answered the
    // last store.
    EXPECT_EQ(copy_seconds(copying_machine(), {.read_bytes = 6400, .written_bytes = 6400}),
              3 + 7 + 128 + 5);
    // All in the L2: 5 for the first access, 32 of reads, 50 of 200 sectors, 5 for the answer.
    EXPECT_EQ(copy_seconds(copying_machine(),
                           {.read_bytes = 6400, .written_bytes = 6400, .found_in_l2 = 1}),
              3 + 5 + 32 + 50 + 5);
    // Half of it: 64 of DRAM go on beside those 82.
    EXPECT_EQ(copy_seconds(copying_machine(),
                           {.read_bytes = 6400, .written_bytes = 6400, .found_in_l2 = 0.5}),
              3 + 7 + 82 + 5);
}

// As launches of kernels do: 2 cycles for each of three SMs, and up to 20 until there is room for what the L2 lacks, less
// where that is less than 0.04 of 640,000 bytes.
TEST(Copies, OnTheDeviceEndAsLaunchesDo) {
    Machine machine = copying_machine();
    machine.sms = 3;
    machine.launch_tail_cycles_per_sm = 2;
    machine.l2_bytes = 640'000;
    machine.l2_writeback_share = 0.04;
    machine.l2_writeback_cycles = 20;
    const auto cycles = [&](double written, double found = 0) {
        return copy_seconds(machine, {.written_bytes = written, .found_in_l2 = found});
    };
    EXPECT_EQ(cycles(51'200), 3 + 7 + 512 + 5 + 20 + 6);
    EXPECT_EQ(cycles(6400), 3 + 7 + 64 + 5 + 20 / 4 + 6);  // a quarter of 25,600
    EXPECT_EQ(cycles(6400, 0.5), 3 + 7 + 50 + 5 + 20. / 8 + 6);
    EXPECT_EQ(cycles(6400, 1), 3 + 5 + 50 + 5 + 6);
}

// A channel keeps 12,288 bytes to write before it turns; each of three SMs has a share of two channels, which turn
// at the same time. So a copy of 147,456 bytes turns twice, a fill never.
TEST(Copies, OnTheDeviceTurnChannelsBetweenReadingAndWriting) {
    Machine machine = copying_machine();
    machine.sms = 3;
    machine.dram_turnaround_cycles = 48;
    constexpr double bytes = 2 * 3 * 2 * 12'288;
    EXPECT_DOUBLE_EQ(Dram::copy_cycles(machine, bytes, bytes), 2 * bytes / 100 + 2 * 48);
    EXPECT_DOUBLE_EQ(Dram::copy_cycles(machine, bytes, bytes / 4), 1.25 * bytes / 100 + 48. / 2);
    EXPECT_DOUBLE_EQ(Dram::copy_cycles(machine, 0, bytes), bytes / 100);
    EXPECT_DOUBLE_EQ(copy_seconds(machine, {.read_bytes = bytes, .written_bytes = bytes}),
                     3 + 7 + (2 * bytes / 100 + 2 * 48) + 5);
}

TEST(Machines, AGpuDiffersFromItsGenerationInWhatItsTableSays) {
    const auto machine = [](const char* name) {
        return machine_of(*emulator::find_architecture(name));
    };
    // NVIDIA, GA102 white paper: 128 FP32 lanes, a 64th of the rate in FP64; an A100 has 64 and a half.
    EXPECT_EQ(machine("geforce-rtx-3080").fp32_lanes, 128);
    EXPECT_EQ(machine("geforce-rtx-3080").fp64_lanes, 2);
    EXPECT_EQ(machine("ampere").fp32_lanes, 64);
    EXPECT_EQ(machine("ampere").fp64_lanes, 32);
    // 760 GB/s, of which no more than all is reached.
    EXPECT_LT(machine("geforce-rtx-3080").dram_bytes_per_cycle * 1.725e9, 760.1e9);
    // What no source tells apart is the generation's.
    EXPECT_EQ(machine("geforce-rtx-3080").alu_cycles, machine("ampere").alu_cycles);
}

TEST(Machines, EachGpuHasOne) {
    EXPECT_GE(emulator::gpus().size(), 25u);
    for (const emulator::Architecture& gpu : emulator::gpus()) {
        const Machine machine = machine_of(gpu);
        EXPECT_GT(machine.dram_bytes_per_cycle, 0) << gpu.name;
        EXPECT_GT(gpu.l1_bytes + gpu.l1_and_shared_bytes_per_sm, 0u) << gpu.name;
        EXPECT_EQ(emulator::find_architecture(gpu.name), &gpu);
    }
}

}  // namespace
}  // namespace timing
