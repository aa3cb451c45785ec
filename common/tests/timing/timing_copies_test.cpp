// The data path that requests share with data that come back, what stores wait for on their way to the L2, and copies
// by the copy engine: schedules worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "emulator/models/memory/slice_loads.hpp"
#include "timing/memory/data_path.hpp"
#include "timing/memory/dram.hpp"
#include "timing/memory/l2_requests.hpp"
#include "timing/memory/memory_path.hpp"
#include "timing/sm/sm_simulation.hpp"
#include "timing_fixture.hpp"

namespace timing {
namespace {

using emulator::LineSectors;
using Lines = std::vector<LineSectors>;

// `count` lines that follow one another, these sectors of each.
Lines lines_from(emulator::Address first, std::size_t count, unsigned sectors = 0xf) {
    Lines lines;
    for (std::size_t i = 0; i < count; ++i)
        lines.emplace_back(first + i * emulator::line_bytes, sectors);
    return lines;
}

// ---- the data path

TEST(DataPath, RequestsAreServedOneAfterAnother) {
    DataPath path;
    EXPECT_EQ(path.serve(10, 5), 15);
    EXPECT_EQ(path.serve(12, 3), 18);
    EXPECT_EQ(path.serve(30, 1), 31);
    EXPECT_EQ(path.free(), 31);
    EXPECT_EQ(path.busy(), 9);
}

TEST(DataPath, WhatComesBackTakesTimeOnlyThen) {
    DataPath path;
    EXPECT_EQ(path.serve_later(20, 4), 24);
    EXPECT_EQ(path.free(), 0);
    EXPECT_EQ(path.busy(), 4);
    // Before it and behind it there is room.
    EXPECT_EQ(path.serve(10, 10), 20);
    EXPECT_EQ(path.serve(24, 3), 27);
}

TEST(DataPath, ARequestAndWhatComesBackShare) {
    DataPath path;
    EXPECT_EQ(path.serve_later(4, 2), 6);
    // Four cycles alone, four that the two share, the other four alone.
    EXPECT_EQ(path.serve(0, 10), 12);
    EXPECT_EQ(path.busy(), 12);
    EXPECT_EQ(path.serve(12, 1), 13);
}

TEST(DataPath, ARequestWaitsAtMostAsLongAsItTakes) {
    DataPath path;
    EXPECT_EQ(path.serve_later(4, 20), 24);
    // Four cycles alone, 12 that the two share. Then 14 of the 20 are left.
    EXPECT_EQ(path.serve(0, 10), 16);
    EXPECT_EQ(path.serve(16, 4), 24);
    // Of all 34 cycles of work the last one ends at 34.
    EXPECT_EQ(path.serve_later(30, 0), 34);
    DataPath long_busy;
    long_busy.serve_later(0, 1000);
    EXPECT_EQ(long_busy.serve(500, 10), 520);
    EXPECT_EQ(long_busy.serve_later(1000, 0), 1010);
}

TEST(DataPath, DataThatComeBackWhileOthersDoWaitForThem) {
    DataPath path;
    EXPECT_EQ(path.serve_later(10, 4), 14);
    EXPECT_EQ(path.serve_later(12, 4), 18);
    // Before both: these now wait, until 20.
    EXPECT_EQ(path.serve_later(8, 4), 12);
    EXPECT_EQ(path.serve_later(19, 1), 21);
    EXPECT_EQ(path.serve_later(30, 1), 31);
    EXPECT_EQ(path.busy(), 14);
}

TEST(DataPath, DataThatComeBackDuringAKnownRequestGoBehindIt) {
    DataPath path;
    EXPECT_EQ(path.serve(0, 10), 10);
    EXPECT_EQ(path.serve_later(3, 4), 14);
    EXPECT_EQ(path.serve_later(5, 4), 18);
    EXPECT_EQ(path.free(), 10);
    // What came back takes eight cycles more; a request that takes two shares four of them.
    EXPECT_EQ(path.serve(10, 2), 14);
}

TEST(Property, TheDataPathIsNeverIdleWhileThereIsWorkAndNeverEarly) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed);
        DataPath path;
        std::vector<std::pair<double, double>> work;  // when it comes, and how long it takes
        double now = 0, total = 0, last = 0;
        for (int i = 0; i < 40; ++i) {
            now += random() % 4 * (random() % 6);
            const double duration = 1 + random() % 8;
            const bool is_later = random() % 2 == 0;
            const double at = is_later ? now + random() % 60 : now;
            const double begin = is_later ? at : std::max(at, path.free());
            const double end = is_later ? path.serve_later(at, duration) : path.serve(at, duration);
            ASSERT_GE(end, at + duration) << "seed " << seed << ", step " << i;
            if (!is_later) {
                ASSERT_LE(end, begin + 2 * duration) << "seed " << seed << ", step " << i;
            }
            work.emplace_back(at, duration);
            total += duration;
            last = std::max(last, end);
        }
        EXPECT_EQ(path.busy(), total);
        // What came back last may take longer than was said, where requests came later: nothing more shows its end.
        last = std::max({last, path.free(), path.serve_later(last, 0)});
        std::ranges::sort(work);
        double expected = 0;
        for (const auto& [at, duration] : work) expected = std::max(expected, at) + duration;
        EXPECT_EQ(last, expected) << "seed " << seed;
        EXPECT_GE(last - work.front().first, total) << "seed " << seed;
    }
}

// ---- stores on their way to the L2

// A sector a cycle, a line at least a cycle; stores of up to 16 lines merge.
Machine machine_with_stores() {
    Machine machine = plain_machine();
    machine.l2_store_sectors_per_cycle = 1;
    machine.max_merged_store_lines = 16;
    return machine;
}

Access store_of(const Lines& lines) {
    Access store;
    store.kind = Access::Kind::store;
    store.space = Space::global;
    store.line_count = static_cast<std::uint32_t>(lines.size());
    for (const LineSectors line : lines)
        store.sectors = static_cast<std::uint16_t>(store.sectors + line.count());
    store.bytes = emulator::sector_bytes * store.sectors;
    return store;
}

double send(L2Requests& requests, const Lines& lines, double now) {
    return requests.store(store_of(lines), lines, now);
}

TEST(StoreRequests, OneThatMergesAddsOnlyNewSectors) {
    const Machine machine = machine_with_stores();
    L2Requests requests(machine, 1);
    const Lines first = lines_from(0, 1), half = lines_from(128, 1, 0x3);
    const Lines other_half = lines_from(128, 1, 0xc);
    EXPECT_EQ(send(requests, first, 1), 5);
    // Waits for the first one, leaves from 5 to 7.
    EXPECT_EQ(send(requests, half, 1), 7);
    // Merged: nothing more to send, and then two sectors more.
    EXPECT_EQ(send(requests, half, 2), 7);
    EXPECT_EQ(send(requests, other_half, 2), 9);
    // Another line: begins to leave at 9.
    EXPECT_EQ(send(requests, first, 2), 13);
}

TEST(StoreRequests, OneIsMergedIfTheOtherHasAllItsLines) {
    const Machine machine = machine_with_stores();
    const Lines one = lines_from(0, 1), two = lines_from(0, 2);
    L2Requests part(machine, 1);
    send(part, two, 0);
    EXPECT_EQ(send(part, one, 0), 8);
    // The second line is new: it leaves from 4 to 8.
    L2Requests more(machine, 1);
    send(more, one, 0);
    EXPECT_EQ(send(more, two, 0), 8);
}

// Cycles of a store of so many sectors, a line each, where the fullest slice has `unevenness` times the mean.
double cycles_of_store(std::size_t lines, double unevenness, double reserve) {
    Machine machine = machine_with_stores();
    machine.l2_slice_reserve = reserve;
    L2Requests requests(machine, 1, unevenness);
    return send(requests, lines_from(0, lines, 1), 0);
}

TEST(StoreRequests, OnesIntoManyLinesWaitForTheFullestSlice) {
    constexpr std::size_t many = emulator::SliceLoads::min_lines;
    EXPECT_EQ(cycles_of_store(many, 1.5, 1), 1.5 * many);
    EXPECT_EQ(cycles_of_store(4 * many, 1.5, 1.25), 1.2 * 4 * many);
    EXPECT_EQ(cycles_of_store(many - 1, 1.5, 1), many - 1);
    // What the reserve covers slows nothing, and nothing is faster for it.
    EXPECT_EQ(cycles_of_store(many, 1.1, 1.25), many);
    EXPECT_EQ(cycles_of_store(many, 1, 2), many);
}

// What an SM shares with 39 others: 40 / 20 cycles a line.
TEST(StoreRequests, LinesOfACopyTakeTheirShareOfTheL2) {
    Machine machine = machine_with_stores();
    machine.l2_store_sectors_per_cycle = 40;
    machine.l2_bulk_lines_per_cycle = 20;
    L2Requests requests(machine, 40);
    EXPECT_EQ(requests.copy(3, 10), 16);
    const Lines line = lines_from(0, 1);
    EXPECT_EQ(send(requests, line, 10), 20);
    EXPECT_EQ(requests.copy(2, 10), 24);
    // A copy in between: no store merges with the one before it.
    EXPECT_EQ(send(requests, line, 10), 28);
    EXPECT_EQ(requests.busy(), 3 * 2 + 4 + 2 * 2 + 4);
}

TEST(StoreRequests, ACopyIsAsFastWhereverItsLinesLie) {
    Machine machine = machine_with_stores();
    machine.l2_bulk_lines_per_cycle = 1;
    L2Requests requests(machine, 1, 2);
    EXPECT_EQ(requests.copy(32, 0), 32);
}

// ---- what a launch and DRAM take

TEST(EndOfLaunch, TakesLongerForEachSmThatUsedGlobalMemory) {
    Machine machine = plain_machine();
    machine.launch_tail_cycles_per_sm = 3;
    const LaunchFacts facts;
    const auto cycles = [&](Access::Kind kind, Space space) {
        MemoryPath memory(machine, LaunchTrace{}, facts, 5);
        Access access;
        access.kind = kind;
        access.space = space;
        memory.serve(access, {}, 0);
        return memory.launch_tail_cycles();
    };
    using enum Access::Kind;
    EXPECT_EQ(cycles(none, Space::global), 0);  // all lanes are off
    EXPECT_EQ(cycles(load, Space::shared), 0);
    EXPECT_EQ(cycles(load, Space::constant), 0);
    EXPECT_EQ(cycles(store, Space::local), 0);
    for (const Access::Kind kind : {load, store, atomic, reduction})
        EXPECT_EQ(cycles(kind, Space::global), 15);
    EXPECT_EQ(cycles(load, Space::texture), 15);
    for (const Access::Kind kind : {bulk_load, bulk_store}) {
        MemoryPath memory(machine, LaunchTrace{}, facts, 5);
        Access access;
        access.kind = kind;
        memory.copy(access, {}, 0);
        EXPECT_EQ(memory.launch_tail_cycles(), 15);
    }
}

TEST(DramLatency, IsThatOfAPieceOf4096Bytes) {
    Machine machine = plain_machine();
    machine.dram_cycles = 500;
    machine.dram_spread_cycles = 100;
    constexpr emulator::Address begin = 3 * 512;  // pieces count from here
    const Dram dram(machine, 1, begin);
    std::set<double> latencies;
    for (emulator::Address piece = begin; piece < begin + 100 * 4096; piece += 4096) {
        const double latency = dram.cycles(piece);
        for (emulator::Address line = 0; line < 4096; line += 128)
            EXPECT_EQ(dram.cycles(piece + line), latency);
        latencies.insert(latency);
    }
    EXPECT_EQ(latencies.size(), 100u);
}

// ---- copies by the copy engine

// A line a cycle from the L2, which answers after 100; two cycles a line of a load and four of a store; no DRAM.
Machine machine_with_copies() {
    Machine machine = machine_with_stores();
    machine.integer_lanes = 32;
    machine.l2_cycles = 100;
    machine.l2_bytes_per_cycle = 128;
    machine.bulk_copy_cycles = 60;
    machine.bulk_load_cycles = 90;
    machine.bulk_load_line_cycles = 2;
    machine.bulk_store_cycles = 150;
    machine.bulk_store_line_cycles = 4;
    machine.l2_bulk_lines_per_cycle = 1;
    return machine;
}

LaunchFacts facts_without_dram() {
    LaunchFacts facts;
    facts.dram_bytes_per_read_sector = facts.dram_bytes_per_written_sector = 0;
    return facts;
}

Access copy_of(Access::Kind kind, const Lines& lines, std::uint32_t barrier = 0) {
    Access copy;
    copy.kind = kind;
    copy.space = Space::global;
    copy.line_count = static_cast<std::uint32_t>(lines.size());
    copy.bytes = copy.line_count * emulator::line_bytes;
    copy.barrier = barrier;
    copy.copies = 1;
    return copy;
}

// When copies of so many lines, all issued at 0, are complete.
std::vector<double> ends_of(const Machine& machine, Access::Kind kind,
                            std::vector<std::size_t> counts) {
    const LaunchFacts facts = facts_without_dram();
    MemoryPath memory(machine, LaunchTrace{}, facts, 1);
    std::vector<double> ends;
    for (const std::size_t count : counts) {
        const Lines lines = lines_from(0, count);
        ends.push_back(memory.copy(copy_of(kind, lines), lines, 0));
    }
    return ends;
}

TEST(CopyEngine, TakesALoadAfterAnother) {
    const Machine machine = machine_with_copies();
    // Lines of the first one until 8, and 190 until they are there. The next ones begin 60 later, and where lines take
    // longer than that, when those are through: 0, 60, 160.
    EXPECT_EQ(ends_of(machine, Access::Kind::bulk_load, {4, 50, 1}),
              (std::vector<double>{8 + 190, 60 + 100 + 190, 160 + 2 + 190}));
}

TEST(CopyEngine, WaitsForTheL2) {
    Machine machine = machine_with_copies();
    machine.l2_bytes_per_cycle = 8;
    // Each line takes 16 cycles of the L2: 64 until the first four are there, and as long again.
    EXPECT_EQ(ends_of(machine, Access::Kind::bulk_load, {4, 4}),
              (std::vector<double>{64 + 190, 128 + 190}));
}

TEST(CopyEngine, AStoreIsCompleteWhenSharedMemoryHasBeenRead) {
    Machine machine = machine_with_copies();
    EXPECT_EQ(ends_of(machine, Access::Kind::bulk_store, {4, 2}),
              (std::vector<double>{16 + 150, 24 + 150}));
    // Not before all of it has left: 64 cycles a line.
    machine.l2_bulk_lines_per_cycle = 1. / 64;
    EXPECT_EQ(ends_of(machine, Access::Kind::bulk_store, {4, 2}), (std::vector<double>{256, 384}));
}

TEST(CopyEngine, ALaunchEndsWhenItsStoresAreAcknowledged) {
    const Machine machine = machine_with_copies();
    const LaunchFacts facts = facts_without_dram();
    MemoryPath memory(machine, LaunchTrace{}, facts, 1);
    const Lines lines = lines_from(0, 4);
    memory.copy(copy_of(Access::Kind::bulk_store, lines), lines, 10);
    EXPECT_EQ(memory.last_write_ack(), 10 + 4 + 100);
}

// ---- warps that wait for copies

Instruction copy_instruction(std::uint32_t access, std::vector<Register> sources = {}) {
    return memory(Space::global, access, std::move(sources), {});
}

Instruction test_instruction(std::uint32_t access) {
    Instruction result;
    result.unit = Unit::integer;
    result.wait = Wait::copies;
    result.access = access;
    return result;
}

Instruction end_of_group() {
    Instruction result;
    result.unit = Unit::integer;
    result.ends_group = true;
    return result;
}

Instruction wait_for_all_groups_but(std::uint8_t last) {
    Instruction result;
    result.unit = Unit::integer;
    result.wait = Wait::groups;
    result.groups = last;
    return result;
}

Instruction clock_reading() {
    Instruction result;
    result.reads_clock = true;
    return result;
}

Access test_of(std::uint32_t barrier, std::uint32_t copies) {
    Access test;
    test.kind = Access::Kind::barrier_test;
    test.space = Space::shared;
    test.barrier = barrier;
    test.copies = copies;
    return test;
}

// A block of warps, each with instructions and accesses of its own.
class Launch {
  public:
    Launch() {
        trace_.program.registers = 4;
        trace_.blocks.emplace_back();
        trace_.lines = lines_from(0, 4);
    }
    // All copies are of the same four lines.
    void add_warp(std::vector<Instruction> instructions, std::vector<Access> accesses) {
        WarpTrace& warp = trace_.blocks[0].emplace_back();
        warp.steps = {{static_cast<std::uint32_t>(trace_.program.blocks.size()), 0}};
        warp.recorded = warp.executed = instructions.size();
        warp.accesses = std::move(accesses);
        trace_.program.blocks.push_back({std::move(instructions)});
    }
    void add_block_like_the_first() { trace_.blocks.push_back(trace_.blocks[0]); }
    SmResult run(const Machine& machine = machine_with_copies()) const {
        return SmSimulation(machine, trace_, facts_without_dram()).run();
    }
    // When a warp reads its clock.
    std::vector<double> clocks(std::size_t warp) const { return run().clocks[0][warp].cycles; }

  private:
    LaunchTrace trace_;
};

Access bulk_load(std::uint32_t barrier) {
    return copy_of(Access::Kind::bulk_load, lines_from(0, 4), barrier);
}

using Clocks = std::vector<double>;

// A copy that is issued at 0 is there at 198: see CopyEngine.TakesALoadAfterAnother.
TEST(WaitForCopies, AWarpGoesOnWhenItsDataAreThere) {
    Launch launch;
    launch.add_warp({copy_instruction(0), test_instruction(1), clock_reading()},
                    {bulk_load(8), test_of(8, 1)});
    EXPECT_EQ(launch.clocks(0), Clocks{198});
    EXPECT_EQ(launch.run().cycles, 199);
    // The test is over at 2.
    EXPECT_EQ(launch.run().stalls[0][static_cast<std::size_t>(Stall::memory)], 196);
}

TEST(WaitForCopies, AWarpThatTestsBeforeTheCopyIsIssuedWaitsForIt) {
    Launch launch;
    // The copy needs a result that is there at 4: its data come at 202.
    launch.add_warp({arithmetic({}, 0), copy_instruction(0, {0})}, {bulk_load(8)});
    launch.add_warp({test_instruction(0), clock_reading()}, {test_of(8, 1)});
    EXPECT_EQ(launch.clocks(1), Clocks{202});
    EXPECT_EQ(launch.run().cycles, 203);
}

TEST(WaitForCopies, ATestWaitsForSoManyCopiesOfItsBarrier) {
    // Copies for barriers 8, 16 and 8 begin at 0, 60 and 120: there at 198, 258 and 318.
    const std::vector<std::pair<Access, double>> tests{
        {test_of(8, 1), 198}, {test_of(16, 1), 258}, {test_of(8, 2), 318}};
    for (const auto& [test, until] : tests) {
        Launch launch;
        launch.add_warp({copy_instruction(0), copy_instruction(1), copy_instruction(2),
                         test_instruction(3), clock_reading()},
                        {bulk_load(8), bulk_load(16), bulk_load(8), test});
        EXPECT_EQ(launch.clocks(0), Clocks{until});
        // The same for a warp that begins to wait before there is any copy.
        Launch other;
        other.add_warp(
            {arithmetic({}, 0), copy_instruction(0, {0}), copy_instruction(1), copy_instruction(2)},
            {bulk_load(8), bulk_load(16), bulk_load(8)});
        other.add_warp({test_instruction(0), clock_reading()}, {test});
        EXPECT_EQ(other.clocks(1), Clocks{until + 4});
    }
}

TEST(WaitForCopies, ATestOfABarrierThatHasCountedNoneDoesNotWait) {
    Launch launch;
    launch.add_warp({copy_instruction(0), test_instruction(1), clock_reading()},
                    {bulk_load(8), test_of(8, 0)});
    EXPECT_EQ(launch.clocks(0), Clocks{2});
    // Nor does one in which no lane takes part.
    Launch off;
    off.add_warp({copy_instruction(0), test_instruction(1), clock_reading()},
                 {bulk_load(8), Access{}});
    EXPECT_EQ(off.clocks(0), Clocks{2});
}

TEST(WaitForCopies, OneOfWhichNoCopyWasRecordedEndsWithTheOthers) {
    Launch launch;
    launch.add_warp({test_instruction(0), clock_reading()}, {test_of(8, 1)});
    EXPECT_EQ(launch.clocks(0), Clocks{1});
    // Another warp issues at 1 and 5: over at 6.
    launch.add_warp({arithmetic({}, 0), arithmetic({0}, 1)}, {});
    EXPECT_EQ(launch.clocks(0), Clocks{6});
    // And one whose copy is of another barrier.
    launch.add_warp({copy_instruction(0), test_instruction(1)}, {bulk_load(16), test_of(16, 1)});
    EXPECT_GE(launch.clocks(0).at(0), 198);
}

// The second block's barrier is new, though it lies where that of the first one did.
TEST(WaitForCopies, ABlockWaitsForItsOwnCopies) {
    Launch launch;
    launch.add_warp({copy_instruction(0), test_instruction(1), clock_reading()},
                    {bulk_load(8), test_of(8, 1)});
    launch.add_block_like_the_first();
    Machine machine = machine_with_copies();
    machine.block_launch_cycles = 1;
    // The first block is over at 199, so the second one begins at 200 and its data are there 198 later.
    EXPECT_EQ(launch.run(machine).clocks[1][0].cycles, Clocks{200 + 198});
}

// Three groups of a store each, issued at 0, 2 and 4. The engine reads for 16 cycles each, one after another, and each
// is complete 150 later: 166, 182 and 198.
TEST(WaitForGroups, AllButTheLastOnes) {
    const Access store = copy_of(Access::Kind::bulk_store, lines_from(0, 4));
    const std::vector<double> until{198, 182, 166, 7, 7};
    for (std::uint8_t last = 0; last < until.size(); ++last) {
        Launch launch;
        launch.add_warp(
            {copy_instruction(0), end_of_group(), copy_instruction(1), end_of_group(),
             copy_instruction(2), end_of_group(), wait_for_all_groups_but(last), clock_reading()},
            {store, store, store});
        EXPECT_EQ(launch.clocks(0), Clocks{until[last]}) << int{last};
    }
}

TEST(WaitForGroups, WhatEndsNoGroupAndWhatOthersIssueIsNotWaitedFor) {
    const Access store = copy_of(Access::Kind::bulk_store, lines_from(0, 4));
    Launch launch;
    launch.add_warp({copy_instruction(0), copy_instruction(1), end_of_group(), copy_instruction(2),
                     wait_for_all_groups_but(0), clock_reading()},
                    {store, store, store});
    EXPECT_EQ(launch.clocks(0), Clocks{182});  // both of the group, not the third one
    Launch others;
    others.add_warp({copy_instruction(0), end_of_group()}, {store});
    others.add_warp({wait_for_all_groups_but(0), clock_reading()}, {});
    EXPECT_LT(others.clocks(1).at(0), 5);
}

// cp.async of a few bytes a lane: a load that writes no register. Its groups are others than those of bulk copies.
TEST(WaitForGroups, CopiesOfLanesHaveTheirOwn) {
    Instruction copy = memory(Space::global, 0, {}, {});
    copy.copies = Instruction::Copies::of_lanes;
    Access load;
    load.kind = Access::Kind::load;
    load.space = Space::global;
    load.line_count = 1;
    load.bytes = 128;
    for (const auto kind : {Instruction::Copies::of_lanes, Instruction::Copies::in_bulk}) {
        Instruction end = end_of_group(), wait = wait_for_all_groups_but(0);
        end.copies = Instruction::Copies::of_lanes;
        wait.copies = kind;
        Launch launch;
        launch.add_warp({copy, end, wait, clock_reading()}, {load});
        const double read = launch.clocks(0).at(0);
        if (kind == Instruction::Copies::of_lanes) {
            EXPECT_GT(read, 100);  // the latency of the L2
        } else {
            EXPECT_EQ(read, 3);
        }
    }
}

// The mbarrier shows when loads are there, and groups hold stores only.
TEST(WaitForGroups, LoadsAreOfNone) {
    Launch launch;
    launch.add_warp(
        {copy_instruction(0), end_of_group(), wait_for_all_groups_but(0), clock_reading()},
        {bulk_load(8)});
    EXPECT_EQ(launch.clocks(0), Clocks{3});
}

}  // namespace
}  // namespace timing
