// Memory instructions that wait to be served, and sectors that warps write together: worked out by
// hand.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "timing/memory/l2_requests.hpp"
#include "timing/memory/memory_queue.hpp"
#include "timing/memory/partly_written.hpp"
#include "timing/sm/sm_simulation.hpp"
#include "timing_fixture.hpp"

namespace timing {
namespace {

// ---- the lines of memory instructions

using Entry = MemoryQueue::Entry;

Machine machine_with_lines(double of_scheduler, double of_sm) {
    Machine machine = plain_machine();
    machine.schedulers = 3;
    machine.lsu_queue_per_scheduler = of_scheduler;
    machine.lsu_queue_per_sm = of_sm;
    return machine;
}

const Access to_global = [] {
    Access access;
    access.kind = Access::Kind::load;
    access.space = Space::global;
    return access;
}();

// Numbered by when they were issued; to global memory.
Entry entry(double since, std::uint32_t warp, std::uint32_t scheduler) {
    return {
        .since = since, .warp = warp, .scheduler = scheduler, .age = warp, .access = &to_global};
}

// Where a thread's index is read.
Entry passing(double since, std::uint32_t warp, std::uint32_t scheduler) {
    return {.since = since, .warp = warp, .scheduler = scheduler, .age = warp};
}

constexpr double never = std::numeric_limits<double>::infinity();

MemoryQueue queue_of(const Machine& machine, const std::vector<Entry>& entries) {
    MemoryQueue queue(machine);
    for (const Entry& each : entries) queue.push(each);
    return queue;
}

const auto at_once = [](const Entry&) { return 0.0; };
const auto l1_from_50 = [](const Entry& each) { return each.passes() ? 0.0 : 50; };
const auto none_merges = [](const Entry&) { return false; };
const auto all_merge = [](const Entry&) { return true; };

// All that wait, as they are served.
std::vector<double> order_of(MemoryQueue queue, const std::function<bool(const Entry&)>& merges) {
    std::vector<double> order;
    while (queue.next(at_once) < never) order.push_back(queue.take(100, at_once, merges).since);
    return order;
}

TEST(MemoryQueue, ServesAsTheyCameWhileLinesAreShort) {
    const MemoryQueue queue =
        queue_of(machine_with_lines(10, 10), {entry(1, 0, 0), entry(2, 1, 1), entry(3, 3, 0),
                                              entry(4, 2, 2), entry(5, 1, 1), entry(6, 0, 0)});
    EXPECT_EQ(queue.next(at_once), 1);
    EXPECT_EQ(order_of(queue, none_merges), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(MemoryQueue, ASchedulerHasRoomUntilItsLineBehindTheSmsIsFull) {
    MemoryQueue queue(machine_with_lines(2, 3));
    for (int i = 0; i < 3 + 2; ++i) {
        EXPECT_TRUE(queue.has_room(1)) << i;
        queue.push(entry(i, 1, 1));
    }
    EXPECT_FALSE(queue.has_room(1));
    EXPECT_TRUE(queue.has_room(0));
    EXPECT_TRUE(queue.has_room(2));
    // The one that is served leaves its place in the SM's line to the scheduler's first one.
    queue.take(0, at_once, none_merges);
    EXPECT_TRUE(queue.has_room(1));
    queue.push(entry(5, 1, 1));
    EXPECT_FALSE(queue.has_room(1));
}

TEST(MemoryQueue, HasNothingNextWhenAllHaveBeenServed) {
    MemoryQueue queue = queue_of(machine_with_lines(2, 1), {entry(0, 0, 0), entry(1, 1, 1)});
    queue.take(0, at_once, none_merges);
    EXPECT_EQ(queue.next(at_once), 1);
    queue.take(1, at_once, none_merges);
    EXPECT_EQ(queue.next(at_once), never);
}

// Of the SM one waits, the first one of scheduler 1; then it is the turn of 2, 0, 1 and so on. In the end 1 alone has some.
TEST(MemoryQueue, SchedulersTakeTurnsWhereTheSmsLineIsFull) {
    const std::vector<Entry> entries{entry(0, 1, 1), entry(1, 1, 1), entry(2, 1, 1), entry(3, 4, 1),
                                     entry(4, 0, 0), entry(5, 3, 0), entry(6, 2, 2)};
    EXPECT_EQ(order_of(queue_of(machine_with_lines(10, 1), entries), none_merges),
              (std::vector<double>{0, 6, 4, 1, 5, 2, 3}));
}

// The L1 takes nothing before 50, but what needs no L1 goes on, though it came later.
TEST(MemoryQueue, WhatNeedsNoL1GoesPastWhatWaitsForIt) {
    MemoryQueue queue =
        queue_of(machine_with_lines(10, 2), {entry(0, 0, 0), entry(1, 1, 1), passing(2, 1, 1)});
    EXPECT_EQ(queue.next(l1_from_50), 2);
    EXPECT_EQ(queue.take(2, l1_from_50, none_merges).since, 2);
    EXPECT_EQ(queue.next(l1_from_50), 50);
    EXPECT_EQ(queue.take(50, l1_from_50, none_merges).since, 0);
}

TEST(MemoryQueue, OfSharedAndConstantMemoryNothingWaitsForTheL1) {
    for (const Space space : {Space::shared, Space::constant}) {
        const Access access = [&] {
            Access each;
            each.kind = Access::Kind::load;
            each.space = space;
            return each;
        }();
        Entry each = passing(2, 1, 1);
        each.access = &access;
        EXPECT_EQ(queue_of(machine_with_lines(10, 1), {entry(0, 0, 0), each}).next(l1_from_50), 2);
    }
}

TEST(MemoryQueue, WhatNeedsNoL1WaitsInItsSchedulersLineBehindWhatDoes) {
    MemoryQueue queue =
        queue_of(machine_with_lines(10, 1), {entry(0, 0, 0), entry(1, 0, 0), passing(2, 4, 0)});
    EXPECT_EQ(queue.next(l1_from_50), 50);
    queue.push(passing(3, 1, 1));  // of another scheduler
    EXPECT_EQ(queue.next(l1_from_50), 3);
}

TEST(MemoryQueue, TellsWhichWarpsInstructionsHaveLeftTheirSchedulersLines) {
    MemoryQueue queue =
        queue_of(machine_with_lines(10, 1), {entry(0, 4, 1), entry(1, 5, 2), entry(2, 4, 1)});
    EXPECT_EQ(queue.last_dequeue_time(), std::vector<std::uint32_t>{4});
    EXPECT_TRUE(queue.last_dequeue_time().empty());
    queue.take(2, at_once, all_merge);  // the first one of warp 4: that of 5 takes its place
    EXPECT_EQ(queue.last_dequeue_time(), std::vector<std::uint32_t>{5});
    queue.take(2, at_once, all_merge);  // the next one of warp 4, from its scheduler's line
    EXPECT_EQ(queue.last_dequeue_time(), std::vector<std::uint32_t>{4});
    queue.push(passing(3, 6, 0));
    EXPECT_EQ(queue.last_dequeue_time(), std::vector<std::uint32_t>{6});
}

TEST(MemoryQueue, TheWarpServedLastGoesFirstIfItsNextOneMerges) {
    const MemoryQueue queue =
        queue_of(machine_with_lines(10, 10),
                 {entry(0, 4, 1), entry(1, 5, 2), entry(2, 6, 0), entry(3, 4, 1)});
    EXPECT_EQ(order_of(queue, all_merge), (std::vector<double>{0, 3, 1, 2}));
    EXPECT_EQ(order_of(queue, none_merges), (std::vector<double>{0, 1, 2, 3}));
}

// Two wait in the SM's line: 0 and 1, then 1 and 3. The other one of warp 4 is alone in its
// scheduler's.
TEST(MemoryQueue, OneThatMergesGoesFirstFromItsSchedulersLineToo) {
    const MemoryQueue queue =
        queue_of(machine_with_lines(10, 2),
                 {entry(0, 4, 1), entry(1, 5, 2), entry(2, 5, 2), entry(3, 7, 1), entry(4, 4, 1)});
    const auto merges = [](const Entry& each) { return each.since == 4; };
    EXPECT_EQ(order_of(queue, merges), (std::vector<double>{0, 4, 1, 3, 2}));
}

// All in one line; one of the two in each line, where two wait in the SM's; both in their
// scheduler's, of which 3 goes on first.
TEST(MemoryQueue, OneThatMergesDoesNotPassAnotherOneOfItsWarp) {
    const auto merges = [](const Entry& each) { return each.since == 4; };
    const std::vector<Entry> entries{entry(0, 4, 1), entry(1, 5, 2), entry(3, 4, 1),
                                     entry(4, 4, 1)};
    for (const double of_sm : {10, 2}) {
        EXPECT_EQ(order_of(queue_of(machine_with_lines(10, of_sm), entries), merges),
                  (std::vector<double>{0, 1, 3, 4}))
            << of_sm;
    }
    std::vector<Entry> with_another = entries;
    with_another.insert(with_another.begin() + 2, entry(2, 5, 2));
    EXPECT_EQ(order_of(queue_of(machine_with_lines(10, 2), with_another), merges),
              (std::vector<double>{0, 1, 3, 4, 2}));
}

TEST(MemoryQueue, AnotherWarpsDoesNotGoFirstThoughItWouldMerge) {
    const MemoryQueue queue =
        queue_of(machine_with_lines(10, 10), {entry(0, 4, 1), entry(1, 5, 2), entry(2, 7, 1)});
    const auto merges = [](const Entry& each) { return each.since == 2; };
    EXPECT_EQ(order_of(queue, merges), (std::vector<double>{0, 1, 2}));
}

// ---- how the SM uses them

// The memory unit takes 16 cycles for an instruction; a result of shared memory is there 23 after
// it began.
Machine machine_with_a_slow_unit() {
    Machine machine = plain_machine();
    machine.memory_lanes = 2;
    return machine;
}

Instruction shared(std::uint32_t access, std::vector<Register> destinations) {
    return memory(Space::shared, access, {}, std::move(destinations));
}

Instruction clock_into(Register destination) {
    Instruction result;
    result.reads_clock = true;
    result.destinations = {destination};
    return result;
}

Access access_of(Access::Kind kind, Space space) {
    Access access;
    access.kind = kind;
    access.space = space;
    access.wavefronts = 1;
    return access;
}

// A block of warps that all execute the instructions, whose accesses are all of shared memory.
LaunchTrace trace_of(std::vector<Instruction> instructions, std::size_t warps) {
    LaunchTrace trace;
    WarpTrace warp;
    warp.steps = {{0, 0}};
    warp.recorded = warp.executed = instructions.size();
    warp.accesses.resize(instructions.size(), access_of(Access::Kind::load, Space::shared));
    trace.program.blocks = {{std::move(instructions)}};
    trace.program.registers = 8;
    trace.blocks = {BlockTrace(warps, warp)};
    return trace;
}

// The same, to global memory.
LaunchTrace trace_to_global(const std::vector<Instruction>& instructions, std::size_t warps) {
    LaunchTrace trace = trace_of({instructions.begin(), instructions.end()}, warps);
    for (Instruction& each : trace.program.blocks[0].instructions) each.space = Space::global;
    for (WarpTrace& warp : trace.blocks[0]) {
        for (Access& each : warp.accesses) each.space = Space::global;
    }
    return trace;
}

SmResult run(const Machine& machine, const LaunchTrace& trace) {
    return SmSimulation(machine, trace, LaunchFacts{}).run();
}

double stalled(const SmResult& result, Stall reason) {
    return result.stalls[0][static_cast<std::size_t>(reason)];
}

// First warp: the load at 0, then 1, 5, 9, 13, 17. Second one: the load at 2, which is served at
// 16, then 3, 7, 11, 15, 19.
TEST(Waiting, AWarpGoesOnBehindALoadWhileTheMemoryUnitIsBusy) {
    const LaunchTrace trace = trace_of({shared(0, {0}), arithmetic({}, 1), arithmetic({1}, 2),
                                        arithmetic({2}, 3), arithmetic({3}, 4), arithmetic({4}, 5)},
                                       2);
    const SmResult result = run(machine_with_a_slow_unit(), trace);
    EXPECT_EQ(result.cycles, 20);
    EXPECT_EQ(result.busy.units[static_cast<std::size_t>(Unit::memory)], 2 * 16);
}

// Loads at 0 and 2, arithmetic at 1 and 3; the loads are served at 0 and 16, so that their results
// are there at 23 and 39.
TEST(Waiting, AnInstructionThatNeedsTheResultWaits) {
    const SmResult result =
        run(machine_with_a_slow_unit(),
            trace_of({shared(0, {0}), arithmetic({}, 1), arithmetic({0}, 2)}, 2));
    EXPECT_EQ(result.cycles, 40);
    EXPECT_EQ(stalled(result, Stall::shared), (23 - 2) + (39 - 4));
    EXPECT_EQ(stalled(result, Stall::memory), 0);
}

// One warp: what the second instruction, which needs the result of the first, waits for.
TEST(Waiting, IsForWhatTheResultComesFrom) {
    const auto reason_of = [](const Instruction& first, Space space) {
        LaunchTrace trace = trace_of({first, arithmetic({0}, 1)}, 1);
        trace.blocks[0][0].accesses[0].space = space;
        const SmResult result = run(plain_machine(), trace);
        Stall most = Stall::none;
        for (std::size_t i = 1; i < stall_count; ++i) {
            const auto reason = static_cast<Stall>(i);
            if (stalled(result, reason) > stalled(result, most)) most = reason;
        }
        return most;
    };
    EXPECT_EQ(reason_of(shared(0, {0}), Space::shared), Stall::shared);
    EXPECT_EQ(reason_of(shared(0, {0}), Space::global), Stall::memory);
    EXPECT_EQ(reason_of(shared(0, {0}), Space::local), Stall::local);
    EXPECT_EQ(reason_of(shared(0, {0}), Space::texture), Stall::texture);
    Instruction without_access = shared(no_access, {0});
    EXPECT_EQ(reason_of(without_access, Space::none), Stall::shuffle);
    without_access.reads_special = true;  // threadIdx
    EXPECT_EQ(reason_of(without_access, Space::none), Stall::special);
    Instruction of_sfu = without_access;
    of_sfu.unit = Unit::sfu;  // blockIdx
    EXPECT_EQ(reason_of(of_sfu, Space::none), Stall::special);
    EXPECT_EQ(reason_of(arithmetic({}, 0), Space::none), Stall::arithmetic);
}

// Loads at 0 and 1, served at 0 and 16.
TEST(Waiting, AnInstructionThatWritesTheSameRegisterWaits) {
    EXPECT_EQ(
        run(machine_with_a_slow_unit(), trace_of({shared(0, {0}), arithmetic({}, 0)}, 2)).cycles,
        40);
}

TEST(Waiting, AFreeCopyOfALoadedValueIsNotThereBeforeIt) {
    Instruction copy = arithmetic({0}, 1);
    copy.slots = 0;
    // Loads at 0 and 1, served at 0 and 16.
    const SmResult result =
        run(machine_with_a_slow_unit(), trace_of({shared(0, {0}), copy, arithmetic({1}, 2)}, 2));
    EXPECT_EQ(result.cycles, 40);
    EXPECT_EQ(result.instructions, 4u);
}

// Three accesses at 0, 1 and 2, served at 0, 16 and 32. Those to shared memory leave their scheduler's line at once. The next
// block begins 7 cycles later and is served at 48, 64 and 80.
TEST(Waiting, AWarpEndsWhenItsLastAccessHasLeftItsSchedulersLine) {
    Machine machine = machine_with_a_slow_unit();
    machine.block_launch_cycles = 7;
    LaunchTrace trace = trace_of({shared(0, {}), shared(1, {}), shared(2, {})}, 1);
    trace.blocks.resize(2, trace.blocks[0]);
    const SmResult result = run(machine, trace);
    EXPECT_EQ(result.block_ends, (std::vector<double>{3, 13}));
    EXPECT_EQ(result.clocks[0][0].end, 3);
    EXPECT_EQ(result.clocks[1][0].begin, 10);
    EXPECT_EQ(result.cycles, 80);
}

// Of the SM's line, which has room for one, the third one has to wait for 16. The next block's, issued at 23, 24 and 25, are
// in it at 32, 48 and 64.
TEST(Waiting, AWarpsLastAccessToGlobalMemoryLeavesTheLineWhenTheSmsHasRoom) {
    Machine machine = machine_with_a_slow_unit();
    machine.block_launch_cycles = 7;
    machine.lsu_queue_per_sm = 1;
    LaunchTrace trace = trace_to_global({shared(0, {}), shared(1, {}), shared(2, {})}, 1);
    trace.blocks.resize(2, trace.blocks[0]);
    const SmResult result = run(machine, trace);
    EXPECT_EQ(result.block_ends, (std::vector<double>{16, 64}));
    EXPECT_EQ(result.clocks[1][0].begin, 23);
}

// The first block's warp ends before what it loads is there, at 55: the next one, in its place, does not get it. Its
// arithmetic is issued at 23, 27, 31, 35 and 39.
TEST(Waiting, AWarpDoesNotGetWhatTheOneBeforeItInItsPlaceLoaded) {
    Machine machine = machine_with_a_slow_unit();
    machine.block_launch_cycles = 20;
    LaunchTrace trace = trace_of({shared(0, {}), shared(1, {}), shared(2, {1})}, 1);
    trace.program.blocks.push_back({{arithmetic({}, 1), arithmetic({1}, 2), arithmetic({2}, 3),
                                     arithmetic({3}, 4), arithmetic({4, 1}, 5)}});
    trace.blocks.resize(2, trace.blocks[0]);
    trace.blocks[1][0].steps = {{1, 0}};
    EXPECT_EQ(run(machine, trace).block_ends, (std::vector<double>{3, 40}));
}

// Four accesses, of which one is served at once and two wait: the last one is issued at 16, when
// the second one is served, instead of at 3.
TEST(Waiting, AWarpStopsWhereBothLinesAreFull) {
    LaunchTrace trace = trace_to_global(
        {shared(0, {}), shared(1, {}), shared(2, {}), shared(3, {}), clock_into(1)}, 1);
    Machine machine = machine_with_a_slow_unit();
    EXPECT_EQ(run(machine, trace).clocks[0][0].cycles, std::vector<double>{4});
    machine.lsu_queue_per_scheduler = machine.lsu_queue_per_sm = 1;
    const SmResult result = run(machine, trace);
    EXPECT_EQ(result.clocks[0][0].cycles, std::vector<double>{17});
    EXPECT_EQ(result.block_ends, std::vector<double>{32});
    EXPECT_EQ(stalled(result, Stall::unit_busy), 16 - 3);
}

// Two blocks of a warp, whose accesses are issued at 0, 2, 32 and 64, and at 1, 16, 48 and 80.
TEST(Waiting, WhereALineIsFullTheOneThatHasWaitedLongestGoesFirst) {
    LaunchTrace trace = trace_to_global(
        {shared(0, {}), shared(1, {}), shared(2, {}), shared(3, {}), clock_into(1)}, 1);
    trace.blocks.resize(2, trace.blocks[0]);
    LaunchFacts facts;
    facts.resident_blocks = 2;
    Machine machine = machine_with_a_slow_unit();
    machine.lsu_queue_per_scheduler = machine.lsu_queue_per_sm = 1;
    const SmResult result = SmSimulation(machine, trace, facts).run();
    EXPECT_EQ(result.clocks[0][0].cycles, std::vector<double>{65});
    EXPECT_EQ(result.clocks[1][0].cycles, std::vector<double>{81});
}

// An older block's loads from shared memory are ready at 0, 1, 2 and, as the line is full then, 3, to be issued at 16. A younger
// one's load from global memory is ready at 0, too, and issued at 1, before the second one; its clock is read behind the third
// one, at 4. Or, behind arithmetic that is issued at 3, it is ready at 7, and issued at 32, behind the fourth one.
TEST(Waiting, OfLoadsFromSharedAndGlobalMemoryTheOneThatHasWaitedLongerGoesFirst) {
    Machine machine = machine_with_a_slow_unit();
    machine.lsu_queue_per_scheduler = machine.lsu_queue_per_sm = 1;
    LaunchFacts facts;
    facts.resident_blocks = 2;
    LaunchTrace trace =
        trace_of({shared(0, {}), shared(1, {}), shared(2, {}), shared(3, {}), clock_into(1)}, 1);
    trace.blocks.resize(2, trace.blocks[0]);
    trace.blocks[1][0].steps = {{1, 0}};
    trace.blocks[1][0].accesses = {access_of(Access::Kind::load, Space::global)};
    const Instruction load = memory(Space::global, 0, {1}, {});
    trace.program.blocks.push_back({{load, clock_into(2)}});
    EXPECT_EQ(SmSimulation(machine, trace, facts).run().clocks[1][0].cycles,
              std::vector<double>{4});
    trace.program.blocks[1] = {{arithmetic({}, 1), load, clock_into(2)}};
    const SmResult later = SmSimulation(machine, trace, facts).run();
    EXPECT_EQ(later.clocks[0][0].cycles, std::vector<double>{17});
    EXPECT_EQ(later.clocks[1][0].cycles, std::vector<double>{33});
}

TEST(Waiting, WhereBothLinesAreFullTheUnitIsBusy) {
    Machine machine = machine_with_a_slow_unit();
    machine.lsu_queue_per_scheduler = machine.lsu_queue_per_sm = 1;
    const SmResult result = run(
        machine, trace_to_global({shared(0, {}), shared(1, {}), shared(2, {}), shared(3, {})}, 1));
    EXPECT_EQ(stalled(result, Stall::unit_busy), 16 - 3);
    EXPECT_EQ(stalled(result, Stall::not_selected), 0);
}

// A load at 0, a copy at 1 that is served at 16: its group ends then, and it is there at 39.
TEST(Waiting, AGroupHasTheCopiesThatWaitWhereItEnds) {
    Instruction copy = shared(1, {}), end, wait;
    end.ends_group = true;
    wait.wait = Wait::groups;
    copy.copies = end.copies = wait.copies = Instruction::Copies::of_lanes;
    const LaunchTrace trace = trace_of({shared(0, {0}), copy, end, wait, clock_into(1)}, 1);
    EXPECT_EQ(run(machine_with_a_slow_unit(), trace).clocks[0][0].cycles, std::vector<double>{39});
}

// A copy at 0, which is there at 23. Two loads behind it are served at 16 and 32, and hold up nothing.
TEST(Waiting, AGroupDoesNotHaveTheLoadsThatWaitBehindIt) {
    Instruction copy = shared(1, {}), end, wait;
    end.ends_group = true;
    wait.wait = Wait::groups;
    copy.copies = end.copies = wait.copies = Instruction::Copies::of_lanes;
    const LaunchTrace trace =
        trace_of({copy, end, shared(0, {0}), shared(2, {2}), wait, clock_into(1)}, 1);
    EXPECT_EQ(run(machine_with_a_slow_unit(), trace).clocks[0][0].cycles, std::vector<double>{23});
}

// Two warps of two schedulers, each with two stores to a sector that leaves in 10 cycles. All four
// are issued at 0 and 1, in turn, but each second one merges with the first.
TEST(Waiting, StoresOfAWarpMeetThoughAnotherWarpsIsBetweenThem) {
    Machine machine = plain_machine();
    machine.schedulers = 2;
    machine.l2_store_sectors_per_cycle = 0.1;
    machine.max_merged_store_lines = 2;
    LaunchTrace trace =
        trace_of({memory(Space::global, 0, {}, {}), memory(Space::global, 1, {}, {})}, 2);
    trace.lines = {{0, 1}, {128, 1}};
    Access store = access_of(Access::Kind::store, Space::global);
    store.line_count = store.sectors = 1;
    store.bytes = emulator::sector_bytes;
    for (WarpTrace& warp : trace.blocks[0]) {
        warp.accesses = {store, store};
        ++store.first_line;
    }
    EXPECT_EQ(run(machine, trace).busy.requests, 20);
}

// ---- sectors that warps write together

constexpr std::uint32_t lines = 8;

// Warps each store 8 bytes of a sector of the same 8 lines.
struct Columns {
    Machine machine = plain_machine();
    LaunchTrace trace;
    LaunchFacts facts;

    explicit Columns(std::size_t warps) {
        machine.l2_kept_bytes = 100;
        facts.cold_share = facts.dram_dirty_share = 1;
        facts.dram_bytes = 1e9;
        trace = trace_of({memory(Space::global, 0, {}, {})}, warps);
        for (emulator::Address line = 0; line < 2 * lines; ++line)
            trace.lines.emplace_back(line * emulator::line_bytes, 1);
        Access store = access_of(Access::Kind::store, Space::global);
        store.line_count = store.sectors = lines;
        store.bytes = 8 * lines;
        for (WarpTrace& warp : trace.blocks[0]) warp.accesses = {store, store};
    }

    void each_store(const std::function<void(Access&)>& change) {
        for (WarpTrace& warp : trace.blocks[0]) {
            for (Access& access : warp.accesses) change(access);
        }
    }
    // By a warp's store, behind the same one of all other warps.
    double completed(std::size_t warp = 0, std::size_t store = 0, double active_sms = 1,
                     bool is_merged = false) const {
        PartlyWritten written(machine, trace, facts, active_sms);
        const auto send = [&](const WarpTrace& from) {
            const Access& access = from.accesses[store];
            return written.completed_by(access, trace.lines_of(access), is_merged);
        };
        for (std::size_t other = 0; other < trace.blocks[0].size(); ++other) {
            if (other != warp) send(trace.blocks[0][other]);
        }
        return send(trace.blocks[0][warp]);
    }
};

// Of so many sectors that others of n warps have written before, where blocks store so many bytes meanwhile.
double expected(double sectors, double n, double bytes) {
    return sectors * (1 - 100 / 1e9) * (1 - std::exp(-bytes / (n + 1) / 100));
}

TEST(PartlyWritten, StoresBehindTheFirstOneFindASectorGivenUpByWhatIsStoredInBetween) {
    const Columns four(4), two(2);
    for (const std::size_t warp : {0, 1, 2, 3})
        EXPECT_DOUBLE_EQ(four.completed(warp), expected(8, 4, 4 * 64)) << warp;
    EXPECT_DOUBLE_EQ(two.completed(), expected(8, 2, 2 * 64));
}

TEST(PartlyWritten, IsNothingOfStoresThatMergeAndWhereTheL2HasRoomForTheLaunch) {
    Columns columns(4);
    EXPECT_EQ(columns.completed(3, 0, 1, true), 0);
    columns.facts.dram_bytes = 100;
    EXPECT_EQ(columns.completed(3), 0);
    columns.facts.dram_bytes = 400;
    EXPECT_NEAR(columns.completed(3), 0.75 * expected(8, 4, 4 * 64), 1e-6);
}

// Four warps write a sector of 32 bytes; who writes there next begins again.
TEST(PartlyWritten, IsNothingOfASectorThatIsComplete) {
    const Columns columns(4);
    PartlyWritten written(columns.machine, columns.trace, columns.facts, 1);
    const auto send = [&](std::size_t warp) {
        const Access& access = columns.trace.blocks[0][warp].accesses[0];
        return written.completed_by(access, columns.trace.lines_of(access), false);
    };
    EXPECT_EQ(send(0), 0);
    for (const std::size_t warp : {1, 2, 3}) EXPECT_GT(send(warp), 0) << warp;
    EXPECT_EQ(send(0), 0);
}

TEST(PartlyWritten, IsNothingOfOneWarpOrWholeSectorsOrFewLinesOrWhatTheL2Has) {
    EXPECT_EQ(Columns(1).completed(), 0);
    Columns whole(4), few(4), known(4), local(4);
    whole.each_store([](Access& store) { store.bytes = 32 * lines; });
    EXPECT_EQ(whole.completed(), 0);
    few.each_store([](Access& store) {
        store.line_count = store.sectors = lines - 1;
        store.bytes = 8 * (lines - 1);
    });
    EXPECT_EQ(few.completed(), 0);
    known.facts.cold_share = 0;
    EXPECT_EQ(known.completed(), 0);
    local.each_store([](Access& store) { store.space = Space::local; });
    EXPECT_EQ(local.completed(), 0);
}

TEST(PartlyWritten, CountsBytesInTheShareThatTheL2Lacks) {
    Columns half(4);
    half.facts.cold_share = 0.5;
    EXPECT_DOUBLE_EQ(half.completed(), expected(8, 4, 0.5 * 4 * 64));
}

// The second warp writes four of the lines and four others.
TEST(PartlyWritten, CountsTheSectorsThatWarpsShare) {
    Columns columns(2);
    columns.trace.blocks[0][1].accesses[0].first_line = 4;
    for (const std::size_t warp : {0, 1})
        EXPECT_DOUBLE_EQ(columns.completed(warp), expected(4, 2, 2 * 64)) << warp;
    columns.trace.blocks[0][1].accesses[0].first_line = 8;
    EXPECT_EQ(columns.completed(), 0);
    // Two sectors of a line, of which one is shared.
    Columns pairs(2);
    for (std::uint32_t i = 0; i < lines; ++i)
        pairs.trace.lines[lines + i] = {i * emulator::line_bytes, 3};
    Access& second = pairs.trace.blocks[0][1].accesses[0];
    second.first_line = lines;
    second.sectors = 2 * lines;
    EXPECT_DOUBLE_EQ(pairs.completed(1), expected(8, 2, 2 * 64));
}

// Each store finds what has been stored since the barrier before it.
TEST(PartlyWritten, CountsTheBytesBetweenBarriers) {
    Columns columns(4);
    Instruction barrier;
    barrier.wait = Wait::barrier;
    std::vector<Instruction>& body = columns.trace.program.blocks[0].instructions;
    body = {memory(Space::global, 0, {}, {}), barrier, memory(Space::global, 1, {}, {})};
    for (WarpTrace& warp : columns.trace.blocks[0]) warp.accesses[1].first_line = lines;
    EXPECT_DOUBLE_EQ(columns.completed(0, 0), expected(8, 4, 4 * 64));
    EXPECT_DOUBLE_EQ(columns.completed(0, 1), expected(8, 4, 4 * 64));
    body.erase(body.begin() + 1);
    EXPECT_DOUBLE_EQ(columns.completed(0, 0), expected(8, 4, 4 * 128));
}

TEST(PartlyWritten, CountsWarpsOnOneSideOfABarrier) {
    Columns columns(2);
    Instruction barrier;
    barrier.wait = Wait::barrier;
    columns.trace.program.blocks[0].instructions.push_back(barrier);
    columns.trace.program.blocks.push_back({{barrier, memory(Space::global, 0, {}, {})}});
    EXPECT_GT(columns.completed(), 0);
    columns.trace.blocks[0][1].steps = {{1, 0}};
    EXPECT_EQ(columns.completed(), 0);
}

TEST(PartlyWritten, CountsTheBlocksThatRunAtOnce) {
    Columns columns(4);
    columns.facts.blocks = 100;
    columns.facts.resident_blocks = 2;
    EXPECT_DOUBLE_EQ(columns.completed(0, 0, 1), expected(8, 4, 2 * 4 * 64));
    EXPECT_DOUBLE_EQ(columns.completed(0, 0, 3), expected(8, 4, 6 * 4 * 64));
    columns.facts.blocks = 5;
    EXPECT_DOUBLE_EQ(columns.completed(0, 0, 3), expected(8, 4, 5 * 4 * 64));
}

// Warps that store twice are no more warps: of the seven stores behind the first one, three are another warp's first one.
TEST(PartlyWritten, CountsAWarpThatStoresTwiceOnce) {
    Columns columns(4);
    columns.trace.program.blocks[0].instructions.push_back(memory(Space::global, 1, {}, {}));
    EXPECT_DOUBLE_EQ(columns.completed(), expected(8, 4, 4 * 128) * 3 / 7);
}

TEST(PartlyWritten, CountsNothingOfLoads) {
    // All four store, and load the same.
    Columns columns(4);
    columns.trace.program.blocks[0].instructions.push_back(memory(Space::global, 1, {}, {}));
    for (WarpTrace& warp : columns.trace.blocks[0]) warp.accesses[1].kind = Access::Kind::load;
    EXPECT_DOUBLE_EQ(columns.completed(), expected(8, 4, 4 * 64));
    EXPECT_EQ(columns.completed(0, 1), 0);
    // One stores, the other one loads the same.
    Columns two(2);
    two.trace.blocks[0][1].accesses[0].kind = Access::Kind::load;
    EXPECT_EQ(two.completed(0), 0);
    EXPECT_EQ(two.completed(1), 0);
}

// The L2 sees nothing of what goes to shared or local memory in between.
TEST(PartlyWritten, CountsBytesOfGlobalMemoryAlone) {
    for (const Space space : {Space::shared, Space::local}) {
        Columns columns(4);
        columns.trace.program.blocks[0].instructions.push_back(memory(space, 1, {}, {}));
        for (WarpTrace& warp : columns.trace.blocks[0]) {
            warp.accesses[1] = access_of(Access::Kind::store, space);
            warp.accesses[1].bytes = 128;
        }
        EXPECT_DOUBLE_EQ(columns.completed(), expected(8, 4, 4 * 64));
    }
}

// One SM alone reads half a sector a cycle again; of three each has a third of the rate.
TEST(L2Requests, AStoreTakesLongerByTheSectorsThatAreReadAgain) {
    Machine machine = plain_machine();
    machine.l2_store_sectors_per_cycle = 1;
    machine.l2_completed_sectors_per_cycle = 0.5;
    const std::vector<emulator::LineSectors> line{{0, 1}};
    Access store = access_of(Access::Kind::store, Space::global);
    store.line_count = store.sectors = 1;
    store.bytes = emulator::sector_bytes;
    for (const double sms : {1, 3}) {
        L2Requests requests(machine, sms);
        EXPECT_EQ(requests.store(store, line, 0), sms);
        EXPECT_EQ(requests.store(store, line, 100, 1.5), 100 + sms + sms * 3);
        EXPECT_EQ(requests.busy(), sms + sms + sms * 3);
    }
}

// Of 8 sectors 6 for each of the four warps, two cycles for each.
TEST(Waiting, StoresTakeTheirWayToTheL2LongerByTheSectorsThatAreReadAgain) {
    Columns columns(4);
    columns.machine.l2_completed_sectors_per_cycle = 0.5;
    const auto busy = [&](double kept_bytes) {
        columns.machine.l2_kept_bytes = kept_bytes;
        return SmSimulation(columns.machine, columns.trace, columns.facts).run().busy.requests;
    };
    EXPECT_DOUBLE_EQ(busy(1e-9) - busy(1e30), 4 * 6 * 2);
}

}  // namespace
}  // namespace timing
