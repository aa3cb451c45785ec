// What memory costs the time model, and what ptxas makes of branches around loads: worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <utility>

#include "emulator/models/architecture.hpp"
#include "emulator/models/memory/load_policy.hpp"
#include "emulator/models/memory/memory_model.hpp"
#include "emulator/models/memory/partial_sectors.hpp"
#include "emulator/ptxas/instructions/predication.hpp"
#include "timing/machine/machine_table.hpp"
#include "timing/machine/server.hpp"
#include "timing/memory/dram.hpp"
#include "timing/memory/evictions.hpp"
#include "timing/memory/l2_requests.hpp"
#include "timing/memory/memory_path.hpp"
#include "timing_fixture.hpp"

namespace timing {
namespace {

// Two channels, each of which takes 2 cycles for a line, and a single bank that opens a row in 40.
Machine machine_with_a_bank() {
    Machine machine = machine_with_dram();
    machine.dram_bank_cycles = 40;
    machine.dram_opening_bytes = machine.dram_write_opening_bytes = 40 * 128;
    machine.dram_turnaround_cycles = 10;
    return machine;
}

TEST(DramModel, ABankOpensOneRowAtATime) {
    const Machine machine = machine_with_a_bank();
    Dram dram(machine, 1);
    EXPECT_EQ(dram.read(0, 128, 1, 0), 0);
    EXPECT_EQ(dram.read(512, 128, 1, 0), 40);
    EXPECT_EQ(dram.read(640, 128, 1, 0), 40);     // the same row: open then
    EXPECT_EQ(dram.read(1024, 128, 0.5, 0), 80);  // half of an opening
    EXPECT_EQ(dram.read(1536, 16, 1, 0), 100);    // a quarter of one
    EXPECT_EQ(dram.read(2048, 128, 1, 200), 200);
}

TEST(DramModel, ManyBanksOpenAsManyRowsAsBytesOfTheBandwidthSay) {
    Machine machine = machine_with_a_bank();
    machine.dram_opening_bytes = 128;  // 40 banks: a row a cycle
    Dram dram(machine, 1);
    // Of 4,000 rows at once the last one opens when all banks together are through, or a little later.
    double last = 0;
    for (emulator::Address row = 0; row < 4000; ++row)
        last = std::max(last, dram.read(row * 512, 1, 64, 0));
    EXPECT_GT(last, 3900);
    EXPECT_LT(last, 5600);
}

// Of 800 rows a channel gets 400, but for a few: of a range without gaps, and of strides like those of the blocks that
// an SM gets (84 rows lay in two of eight channels where their digits chose them).
TEST(DramModel, RangesAndStridesLieEvenlyInTheChannels) {
    Machine machine = machine_with_a_bank();
    machine.dram_bank_cycles = 1e-9;
    for (const emulator::Address rows : {1, 2, 16, 84, 132, 1024}) {
        Dram dram(machine, 1);
        for (emulator::Address i = 0; i < 800; ++i) dram.read(i * rows * 512, 128, 1, 0);
        EXPECT_GE(dram.free(), 800) << rows;
        EXPECT_LE(dram.free(), 832) << rows;
    }
}

TEST(DramModel, AChannelWritesWhenItHasNothingToRead) {
    Machine machine = machine_with_a_bank();
    machine.dram_bank_cycles = 1e-9;
    Dram dram(machine, 1);
    dram.write(0, 128, 1, 90);                            // at once: until 102, with its turn
    EXPECT_NEAR(dram.read(0, 128, 1, 95), 102, 1e-6);     // until 104
    dram.write(128, 128, 1, 103);                         // waits until 104
    EXPECT_NEAR(dram.read(256, 128, 1, 103), 104, 1e-6);  // until 106: before it
    EXPECT_NEAR(dram.read(0, 128, 1, 110), 118, 1e-6);    // behind it: written from 106 to 118
    // Only so long: 12,288 bytes are 96 lines, which take 192 cycles and a turn, though reads wait.
    for (emulator::Address i = 0; i < 95; ++i) dram.write(0, 128, 1, 119);
    EXPECT_NEAR(dram.read(0, 128, 1, 119), 120, 1e-6);  // until 122
    dram.write(0, 128, 1, 119);
    EXPECT_NEAR(dram.read(0, 128, 1, 119), 122 + 202, 1e-6);
}

// Arrays that begin 4 MiB apart are read side by side: of 64 pairs of the same line of both, about half lie in one channel
// (by chance, 32 +- 4), whatever the distance is to where counting begins.
TEST(DramModel, RegionsBeginWithChannelsByChance) {
    Machine machine = machine_with_a_bank();
    machine.dram_bank_cycles = 1e-9;
    constexpr emulator::Address region = 4 << 20, begin = 3 * 512;
    int in_one = 0;
    for (emulator::Address pair = 0; pair < 64; ++pair) {
        Dram dram(machine, 1, begin);
        for (const emulator::Address of_pair : {2 * pair, 2 * pair + 1})
            dram.read(begin + of_pair * region, 128, 1, 0);
        in_one += dram.free() > 3;  // 2 cycles a line
    }
    EXPECT_GT(in_one, 16);
    EXPECT_LT(in_one, 48);
}

TEST(DramModel, OpeningARowToWriteTakesLonger) {
    Machine machine = machine_with_a_bank();
    machine.dram_write_opening_bytes = 2 * machine.dram_opening_bytes;
    Dram dram(machine, 1);
    dram.write(0, 128, 1, 0);
    EXPECT_EQ(dram.read(512, 128, 1, 0), 80);
}

// What was written leaves in the order in which it was written first, each line whole and once a turn.
TEST(Evictions, AreTheLinesThatTheLaunchWrites) {
    LaunchTrace trace;
    trace.lines = {{256, 1}, {0, 3}, {256, 2}};
    WarpTrace warp;
    for (std::uint32_t i = 0; i < 3; ++i) {
        Access& store = warp.accesses.emplace_back();
        store.kind = Access::Kind::store;
        store.first_line = i;
        store.line_count = 1;
    }
    trace.blocks = {{warp}};
    Evictions evictions(trace);
    EXPECT_FALSE(evictions.next());
    evictions.add(150);
    std::vector<emulator::Address> lines;
    while (const auto line = evictions.next()) {
        EXPECT_EQ(line->bytes, 64);
        lines.push_back(line->line);
    }
    EXPECT_EQ(lines, (std::vector<emulator::Address>{256, 0}));
    evictions.add(42);
    ASSERT_TRUE(evictions.next());
    Evictions none{LaunchTrace{}};
    none.add(1000);
    EXPECT_FALSE(none.next());
}

TEST(DramModel, PlacesDifferInLatencyAroundTheMean) {
    Machine machine = machine_with_dram();
    machine.dram_spread_cycles = 100;
    const Dram dram(machine, 1);
    double sum = 0, least = 1e9;
    for (emulator::Address place = 0; place < 4000; ++place) {
        sum += dram.cycles(place * 4096);
        least = std::min(least, dram.cycles(place * 4096));
    }
    EXPECT_NEAR(sum / 4000, 500, 5);  // exponential: a mean of 100 above the least
    EXPECT_NEAR(least, 400, 1);
}

TEST(DramModel, ChanceIsTheSameForTheSameWorkElsewhere) {
    Machine machine = machine_with_dram();
    machine.dram_spread_cycles = 100;
    const emulator::Address far = emulator::Address{3} << 30;
    const Dram here(machine, 1), there(machine, 1, far), drawn_again(machine, 1, 0, 1);
    int alike = 0;
    for (emulator::Address line = 0; line < 1000 * 128; line += 128) {
        EXPECT_EQ(here.cycles(line), there.cycles(far + line));
        alike += here.cycles(line) == drawn_again.cycles(line);
    }
    EXPECT_LT(alike, 10);
}

TEST(Memory, TheFirstWaveWaitsTogetherForWhatIsNew) {
    const Machine machine = machine_with_dram();
    LaunchFacts facts;
    facts.cold_share = 1;
    facts.dram_share_of_reads = 0.1;
    facts.dram_bytes_per_read_sector = 0.001;
    const LineLoad load;
    MemoryPath memory(machine, LaunchTrace{}, facts, 1);
    // New to this SM, though only one request in ten is the first of all: as late as from DRAM.
    EXPECT_NEAR(memory.serve(load.access, load.line, 0, true), 500, 1);
    // Again, long after: from the L2.
    EXPECT_NEAR(memory.serve(load.access, load.line, 1000, true), 1100, 1);
    // In later waves one request in ten is late.
    MemoryPath later(machine, LaunchTrace{}, facts, 1);
    int late = 0;
    for (unsigned i = 0; i < 20; ++i) {
        const double begin = 1000.0 * i;
        const std::vector<emulator::LineSectors> line{{i * emulator::line_bytes, 0xf}};
        late += later.serve(load.access, line, begin, false) > begin + 300;
    }
    EXPECT_NEAR(late, 2, 1);
    // Nothing waits for DRAM where the L2 has all.
    facts = {};
    facts.dram_share_of_reads = facts.dram_bytes_per_read_sector = 0;
    MemoryPath warm(machine, LaunchTrace{}, facts, 1);
    EXPECT_NEAR(warm.serve(load.access, load.line, 0, true), 100, 1);
}

// In later waves, of lines each of which `readers` ask for one after the other, a share comes from DRAM: which of the
// requests for the last line are late.
std::vector<bool> late_ones(double share, unsigned readers) {
    const Machine machine = machine_with_dram();
    LaunchFacts facts;
    facts.cold_share = 1;
    facts.dram_share_of_reads = share;
    facts.dram_bytes_per_read_sector = 0.001;
    const LineLoad load;
    MemoryPath memory(machine, LaunchTrace{}, facts, 1);
    std::vector<bool> late;
    for (unsigned i = 0; i < 200; ++i) {
        late.clear();
        const std::vector<emulator::LineSectors> line{{i * emulator::line_bytes, 0xf}};
        for (unsigned reader = 0; reader < readers; ++reader) {
            const double begin = 10000.0 * i + 50 * reader;
            late.push_back(memory.serve(load.access, line, begin, false) > begin + 300);
        }
    }
    return late;
}

TEST(Memory, WarpsThatAskForTheSameLineWaitForItTogether) {
    // The first one's request is the one of four that DRAM serves; the others find it on its way.
    EXPECT_EQ(late_ones(1. / 4, 4), std::vector(4, true));
    // Another SM has asked for most lines before.
    EXPECT_EQ(late_ones(0.001, 4), std::vector(4, false));
    // What is read again comes from DRAM too where the L2 has lost it: two requests of two.
    EXPECT_EQ(late_ones(0.999, 2), std::vector(2, true));
}

// Loads of which DRAM serves a share, all asked for at once; each of a line that nothing else touches, in a row of its own.
struct SharedWithTheL2 {
    Machine machine = machine_with_a_bank();
    LaunchFacts facts;
    std::vector<double> arrivals;
    double busy = 0;
    SharedWithTheL2(double share, int lines, std::vector<unsigned> sectors = {0xf}) {
        facts.dram_bytes_per_read_sector = share * emulator::sector_bytes;
        MemoryPath memory(machine, LaunchTrace{}, facts, 1);
        LineLoad load;
        for (int i = 0; i < lines; ++i) {
            const unsigned mask = sectors[static_cast<std::size_t>(i) % sectors.size()];
            load.line = {{static_cast<emulator::Address>(i) * Dram::row_bytes, mask}};
            arrivals.push_back(memory.serve(load.access, load.line, 0));
        }
        busy = memory.dram().busy();
    }
};

// A line takes DRAM a cycle.
TEST(Memory, AShareOfTheLinesKeepsDramBusyForThatShareOfTheTime) {
    EXPECT_EQ(SharedWithTheL2(1. / 4, 40).busy, 10);
    EXPECT_EQ(SharedWithTheL2(1. / 2, 40).busy, 20);
    EXPECT_EQ(SharedWithTheL2(1, 40).busy, 40);
    // Less than a line is still due at the end.
    for (const double share : {0.01, 0.1, 0.3, 0.45, 0.7, 0.89, 0.95}) {
        EXPECT_LE(SharedWithTheL2(share, 40).busy, 40 * share + 1e-9) << share;
        EXPECT_GT(SharedWithTheL2(share, 40).busy, 40 * share - 1) << share;
        // Requests for four sectors, one, and two.
        const double sum = 12 * share * (4 + 1 + 2) / 4;
        const double busy = SharedWithTheL2(share, 36, {0xf, 0x2, 0x6}).busy;
        EXPECT_LE(busy, sum + 1e-9) << share;
        EXPECT_GT(busy, sum - 1) << share;
    }
}

// One bank, 40 cycles for a row: it opens one for every fourth line, whole, and not half a row for each. Lines that come at
// the same time leave the L1 one after another, a cycle each.
TEST(Memory, DramReadsSomeLinesWholeInsteadOfAPartOfEach) {
    const auto expect_near = [](double arrival, double of_dram, int before) {
        EXPECT_GE(arrival, of_dram) << before;
        EXPECT_LE(arrival, of_dram + 1 + before) << before;
    };
    const SharedWithTheL2 quarter(1. / 4, 40);
    for (int i = 0; i < 40; ++i) {
        const int rows_before = i % 4 == 3 ? i / 4 : 0;
        expect_near(quarter.arrivals[static_cast<std::size_t>(i)], 500 + 40 * rows_before, i);
    }
    // Each line opens a row where all come from DRAM, or nearly: nothing is left to the next one.
    for (const double share : {1., 0.95})
        expect_near(SharedWithTheL2(share, 40).arrivals.back(), 500 + 40 * 39, 39);
    // Of requests for a sector each, too: whole is what was asked for.
    expect_near(SharedWithTheL2(1, 40, {0x2}).arrivals.back(), 500 + 40. / 2 * 39, 39);
}

TEST(Memory, ALaunchEndsWhenItsLastStoreIsAcknowledged) {
    Machine machine = machine_with_dram();
    machine.l2_store_sectors_per_cycle = 4;
    LaunchFacts facts;
    facts.dram_bytes_per_written_sector = 0;
    LineLoad store;
    store.access.kind = Access::Kind::store;
    store.access.sectors = 4;
    MemoryPath memory(machine, LaunchTrace{}, facts, 1);
    memory.serve(store.access, store.line, 10);
    // Through the data path at 13, a cycle a sector on the way to the L2, whose answer comes 100 later.
    EXPECT_EQ(memory.last_write_ack(), 117);
}

TEST(Memory, AStoreLeavesItsSectorsInTheL1WhereTheGenerationDoes) {
    for (const bool allocates : {false, true}) {
        Machine machine = machine_with_dram();
        machine.stores_allocate_in_l1 = allocates;
        LaunchFacts facts;
        facts.l1_bytes = 1024;
        facts.dram_share_of_reads = facts.dram_bytes_per_read_sector = 0;
        MemoryPath memory(machine, LaunchTrace{}, facts, 1);
        LineLoad load, store;
        load.access.path = emulator::LoadPath::l1;
        store.access.kind = Access::Kind::store;
        store.access.sectors = 4;
        memory.serve(store.access, store.line, 0);
        EXPECT_NEAR(memory.serve(load.access, load.line, 1000) - 1000,
                    allocates ? machine.l1_cycles : machine.l2_cycles, 1);
    }
}

// Room for what a launch brings into the L2: 100 cycles for a tenth of 1,000 bytes or more.
Machine machine_with_room() {
    Machine machine = machine_with_dram();
    machine.l2_bytes = 1000;
    machine.l2_writeback_share = 0.1;
    machine.l2_writeback_cycles = 100;
    return machine;
}

TEST(Memory, RoomTakesAsLongAsBytesAreLackingButNoLongerThanItsMost) {
    Machine machine = machine_with_room();
    for (const auto& [bytes, cycles] : {std::pair(0., 0.), {50., 50.}, {100., 100.}, {1e9, 100.}})
        EXPECT_DOUBLE_EQ(machine.writeback_delay(bytes), cycles) << bytes;
    machine.l2_bytes = 0;  // not known
    EXPECT_EQ(machine.writeback_delay(50), 0);
}

// 60 bytes, of which a quarter is written: 15 cycles until stores are acknowledged, and 45 for what was read, at the end of
// the launch.
TEST(Memory, ThereIsRoomForWhatIsReadAndForWhatIsWritten) {
    Machine machine = machine_with_room();
    machine.l2_store_sectors_per_cycle = 4;
    machine.launch_tail_cycles_per_sm = 2;
    LaunchFacts facts;
    facts.dram_bytes = 60;
    facts.dram_dirty_share = 0.25;
    facts.dram_bytes_per_written_sector = 0;
    LineLoad store;
    store.access.kind = Access::Kind::store;
    store.access.sectors = 4;
    MemoryPath memory(machine, LaunchTrace{}, facts, 1);
    EXPECT_EQ(memory.launch_tail_cycles(), 0);
    memory.serve(store.access, store.line, 10);
    EXPECT_DOUBLE_EQ(memory.last_write_ack(), 117 + 15);  // 117 with all the room there is
    EXPECT_DOUBLE_EQ(memory.launch_tail_cycles(), 2 + 45);
}

// Of two lines that two of six blocks read, as many others are of the SM's other blocks: 768 bytes. Where the launch reads
// four times as much, the last of four SMs' lines comes ln 4 spreads later than the last of one's (exponential latencies:
// the mean of the largest of n is the sum of 1 / k, which grows by ln 4 from n to 4 n).
TEST(Memory, ALaunchWaitsForTheLastSm) {
    Machine machine = machine_with_dram();
    machine.dram_spread_cycles = 100;
    LaunchTrace trace;
    trace.blocks.resize(2);
    const auto cycles = [&](double read_bytes, double cold, bool loads = true) {
        LaunchFacts facts;
        facts.sm_blocks = 6;
        facts.cold_share = cold;
        facts.dram_dirty_share = 0.25;
        facts.dram_bytes = read_bytes / 0.75;
        MemoryPath memory(machine, trace, facts, 132);
        LineLoad load;
        if (!loads) load.access.kind = Access::Kind::store;
        for (const emulator::Address line : {0, 128, 128, 0}) {
            load.line = {{line, 0xf}};
            load.access.path = emulator::LoadPath::l2;
            memory.serve(load.access, load.line, 0);
        }
        return memory.launch_tail_cycles();
    };
    EXPECT_DOUBLE_EQ(cycles(4 * 768, 1), 100 * std::log(4));
    EXPECT_DOUBLE_EQ(cycles(4 * 768, 0.5), 50 * std::log(4));  // half of them are in the L2
    EXPECT_DOUBLE_EQ(cycles(1000 * 768, 1), 100 * std::log(132));
    EXPECT_EQ(cycles(700, 1), 0);  // all SMs read the same
    EXPECT_EQ(cycles(4 * 768, 1, false), 0);
}

TEST(Memory, AFetchFromATextureTakesLongerThanALoad) {
    Machine machine = machine_with_dram();
    machine.l1_cycles = 30;
    machine.texture_cycles = 90;
    LaunchFacts facts;
    facts.l1_bytes = 1024;
    facts.dram_share_of_reads = facts.dram_bytes_per_read_sector = 0;
    const auto of_both = [&](Space space) {
        MemoryPath memory(machine, LaunchTrace{}, facts, 1);
        LineLoad load;
        load.access.space = space;
        load.access.path = emulator::LoadPath::l1;
        const double first = memory.serve(load.access, load.line, 0);
        return std::pair(first, memory.serve(load.access, load.line, 1000) - 1000);
    };
    const auto [missed, hit] = of_both(Space::global);
    const auto [fetch_missed, fetch_hit] = of_both(Space::texture);
    EXPECT_EQ(hit, 30);
    EXPECT_EQ(fetch_hit, 90);
    EXPECT_EQ(fetch_missed, missed + 60);  // whatever it waits for besides
}

struct StoresOfWholeLines {
    Access store;
    std::vector<emulator::LineSectors> line{{0, 0xf}}, other{{128, 0xf}};
    StoresOfWholeLines() {
        store.line_count = 1;
        store.sectors = 4;
        store.bytes = emulator::line_bytes;
    }
};
const StoresOfWholeLines stores_of_whole_lines;

// A sector a cycle, a line at least a cycle.
Machine machine_with_stores() {
    Machine machine = machine_with_dram();
    machine.l2_store_sectors_per_cycle = 1;
    machine.max_merged_store_lines = 2;
    return machine;
}

// Cycles that stores take, each writing so many bytes of each sector, `apart` cycles from one to the next.
double cycles_of_stores(const std::vector<std::vector<emulator::LineSectors>>& stores, double apart,
                        unsigned bytes = emulator::sector_bytes) {
    const Machine machine = machine_with_stores();
    L2Requests requests(machine, 1);
    double now = 0;
    for (const auto& lines : stores) {
        Access store;
        store.line_count = static_cast<std::uint32_t>(lines.size());
        for (const emulator::LineSectors line : lines)
            store.sectors = static_cast<std::uint16_t>(store.sectors + line.count());
        store.bytes = bytes * store.sectors;
        requests.store(store, lines, now);
        now += apart;
    }
    return requests.busy();
}

TEST(L2Requests, AStoreMergesWithTheOneBeforeThatStillWaits) {
    const std::vector<emulator::LineSectors> two{{0, 1}, {128, 1}}, others{{0, 2}, {128, 1}},
        three{{0, 1}, {128, 1}, {256, 1}};
    EXPECT_EQ(cycles_of_stores({two, two}, 0), 2);
    EXPECT_EQ(cycles_of_stores({two, others}, 0), 3);  // another sector of the first line
    EXPECT_EQ(cycles_of_stores({two, others, two}, 0), 3);
    EXPECT_EQ(cycles_of_stores({two, two}, 100), 4);  // the first one has left
    EXPECT_EQ(cycles_of_stores({three, three}, 0), 6);
}

// Local memory stays in the L1: a store to it neither ends what could merge nor keeps the L1 waiting.
TEST(Memory, AStoreToLocalMemoryDoesNotStandBetweenTwoThatMerge) {
    Machine machine = machine_with_stores();
    machine.l2_store_sectors_per_cycle = 0.1;  // the first one still leaves when the other comes
    LaunchFacts facts;
    facts.dram_bytes_per_written_sector = 0;
    MemoryPath memory(machine, LaunchTrace{}, facts, 1);
    const std::vector<emulator::LineSectors> line{{0, 0xf}};
    Access store, spill;
    store.kind = spill.kind = Access::Kind::store;
    store.space = Space::global;
    spill.space = Space::local;
    store.line_count = 1;
    store.sectors = 4;
    store.bytes = emulator::line_bytes;
    memory.serve(store, line, 0);
    memory.serve(spill, {}, 0);
    memory.serve(store, line, 0);
    EXPECT_EQ(memory.requests().busy(), 40);
}

// data/timing/stores.csv: a line takes as long for 16 bytes of a sector as for two sectors.
TEST(L2Requests, WhichBytesAreWrittenTakesAsLongAsASector) {
    const std::vector<emulator::LineSectors> one{{0, 1}}, all{{0, 0xf}};
    EXPECT_EQ(cycles_of_stores({one}, 0), 1);
    EXPECT_EQ(cycles_of_stores({one}, 0, 16), 2);
    EXPECT_EQ(cycles_of_stores({all}, 0), 4);
    EXPECT_EQ(cycles_of_stores({all}, 0, 16), 5);
    EXPECT_EQ(cycles_of_stores({one, one}, 0, 16), 2);  // both halves, in one
}

// What other SMs have left of the L2 does not widen an SM's own way out.
TEST(L2Requests, LoadsLeaveOneAfterTheOtherWhateverTheL2HasLeft) {
    Machine machine = machine_with_stores();
    machine.averaging_window_cycles = 1000;
    L2Requests requests(machine, 1);
    EXPECT_EQ(requests.load(32, 5000).left, 5031);
    EXPECT_EQ(requests.load(32, 5000).left, 5063);
}

TEST(L2Requests, ALoadWaitsBehindTheStoresOnTheirWay) {
    Machine machine = machine_with_stores();
    L2Requests requests(machine, 1);
    const auto& [store, line, other] = stores_of_whole_lines;
    EXPECT_EQ(requests.load(1, 0).left, 0);
    EXPECT_EQ(requests.store(store, line, 1), 5);
    EXPECT_EQ(requests.store(store, other, 1), 9);
    EXPECT_EQ(requests.load(0, 2).wait, 7);
    EXPECT_EQ(requests.load(2, 2).left, 3);  // and that
    EXPECT_EQ(requests.store(store, line, 3), 15);
    EXPECT_EQ(requests.load(0, 15).wait, 0);
}

// In the mean as long as the store takes, by an exponential distribution: a wait of three means in one of 20 cases.
TEST(Memory, ALoadWaitsBehindStoresByChance) {
    Machine machine = machine_with_dram();
    machine.l2_store_sectors_per_cycle = 0.001;
    LaunchFacts facts;
    facts.dram_share_of_reads = facts.dram_bytes_per_read_sector = 0;
    facts.dram_bytes_per_written_sector = 0;
    LineLoad store, load;
    store.access.kind = Access::Kind::store;
    store.access.sectors = 1;
    store.access.bytes = 32;
    store.line = {{0, 1}};
    load.line = {{1280, 1}};
    constexpr unsigned draws = 4001;
    double sum = 0, long_ones = 0;
    for (unsigned draw = 0; draw < draws; ++draw) {
        MemoryPath memory(machine, LaunchTrace{}, facts, 1, draw);
        const double alone = memory.serve(load.access, load.line, 0);
        memory.serve(store.access, store.line, 0);
        const double wait = memory.serve(load.access, load.line, 0) - alone;
        sum += wait;
        if (wait > 3000) ++long_ones;
    }
    EXPECT_NEAR(sum / draws, 1000, 48);  // three standard errors
    EXPECT_NEAR(long_ones / draws, std::exp(-3), 0.02);
}

TEST(L2Requests, AnSmAloneSendsAsFastAsItsPort) {
    Machine machine = machine_with_stores();
    machine.store_port_cycles = 8;
    L2Requests requests(machine, 1);
    const auto& [store, line, other] = stores_of_whole_lines;
    EXPECT_EQ(requests.store(store, line, 0), 8);  // the L2 takes 4
    EXPECT_EQ(requests.store(store, other, 0), 16);
}

// The L2 takes one in 4 cycles, and has had nothing for 100: of 20 of these it takes what the port sends.
TEST(L2Requests, WhatOtherSmsHaveLeftCanStillBeHad) {
    Machine machine = machine_with_stores();
    machine.store_port_cycles = 1;
    machine.averaging_window_cycles = 20;
    L2Requests requests(machine, 1);
    const auto& [store, line, other] = stores_of_whole_lines;
    // Before the first store nothing was left.
    EXPECT_EQ(requests.store(store, other, 50), 54);
    bool is_even = true;
    for (const double sent : {101, 102, 103, 104, 105, 106, 108, 112, 116}) {
        EXPECT_EQ(requests.store(store, is_even ? line : other, 100), sent);
        is_even = !is_even;
    }
}

TEST(PartialSectors, AreThoseThatStoresLeaveIncomplete) {
    using emulator::partial_sectors_of;
    using emulator::PartialSector;
    // Bytes 40 to 99: part of the sector at 32, all of that at 64, part of that at 96.
    EXPECT_EQ(partial_sectors_of(40, 100),
              (std::vector<PartialSector>{{32, 0xffffff00}, {96, 0xf}}));
    EXPECT_EQ(partial_sectors_of(64, 128), std::vector<PartialSector>{});
    EXPECT_EQ(partial_sectors_of(36, 40), (std::vector<PartialSector>{{32, 0xf0}}));
    // Two lanes of eight bytes that overlap, and one in another sector.
    std::array<emulator::Address, 32> addresses{64, 4, 0};
    EXPECT_EQ(partial_sectors_of({addresses, 7, 8}),
              (std::vector<PartialSector>{{0, 0xfff}, {64, 0xff}}));
    emulator::PartialSectors partial;
    partial.insert({0, 0xffff});
    partial.insert({32, 0xf});
    partial.insert({64, 0xf});
    EXPECT_EQ(partial.incomplete({}), 3u);
    emulator::PartialSectors others;
    others.insert({0, 0xffff0000});
    partial.merge(others);
    EXPECT_EQ(partial.incomplete({}), 2u);
    emulator::SectorSet read;
    read.insert({0, 2});  // the sector at 32 is in the L2 already
    EXPECT_EQ(partial.incomplete(read), 1u);
}

// The bytes of each sector, byte by byte; whole sectors left out.
std::vector<emulator::PartialSector> by_bytes(const emulator::WarpRequest& request) {
    std::map<emulator::Address, std::uint32_t> bytes;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if ((request.active_mask >> lane & 1) == 0) continue;
        for (unsigned i = 0; i < request.bytes_per_lane; ++i) {
            const emulator::Address address = request.addresses[lane] + i;
            bytes[address / 32 * 32] |= 1u << address % 32;
        }
    }
    std::vector<emulator::PartialSector> parts;
    for (const auto& [sector, mask] : bytes)
        if (mask != 0xffffffff) parts.push_back({sector, mask});
    return parts;
}

// Wherever lanes lie, overlap, and leave gaps; aligned or not.
TEST(PartialSectors, OfARequestAreThoseOfItsBytes) {
    std::mt19937 random(7);
    for (int trial = 0; trial < 20000; ++trial) {
        const unsigned bytes_per_lane = 1u << random() % 5;
        const auto mask = trial % 4 == 0 ? static_cast<std::uint32_t>(random()) : 0xffffffff;
        const unsigned span = 1u << (4 + random() % 8);
        const unsigned alignment = trial % 2 == 0 ? 1 : bytes_per_lane;
        std::array<emulator::Address, 32> addresses;
        for (auto& address : addresses) address = random() % span / alignment * alignment;
        const emulator::WarpRequest request{addresses, mask, bytes_per_lane};
        ASSERT_EQ(partial_sectors_of(request), by_bytes(request)) << trial;
    }
}

TEST(PartialSectors, OfBytesSideBySideAreThoseOfTheBytes) {
    for (emulator::Address begin = 0; begin < 70; ++begin) {
        for (emulator::Address end = begin; end < 170; ++end) {
            std::vector<emulator::PartialSector> expected;
            for (emulator::Address sector = 0; sector < 192; sector += 32) {
                std::uint32_t mask = 0;
                for (unsigned i = 0; i < 32; ++i)
                    if (begin <= sector + i && sector + i < end) mask |= 1u << i;
                if (mask != 0 && mask != 0xffffffff) expected.push_back({sector, mask});
            }
            ASSERT_EQ(emulator::partial_sectors_of(begin, end), expected) << begin << " " << end;
        }
    }
}

TEST(SectorSet, LinesInBoth) {
    emulator::SectorSet one, other;
    for (const emulator::Address line : {0, 128, 1 << 22}) one.insert({line, 0xf});
    other.insert({128, 1});
    other.insert({256, 1});
    other.insert({1 << 22, 8});
    EXPECT_EQ(one.lines_in(other), 2u);
    EXPECT_TRUE(one.contains(160));
    EXPECT_FALSE(other.contains(160));
}

// ---- the same sectors as the counts

using emulator::CacheOperator;
using emulator::L1Mode;
using emulator::LineSectors;
using emulator::LoadPath;

// The model's way to memory on a GPU, where the L2 takes a cycle for each sector that it is asked for.
class SectorsCharged {
  public:
    SectorsCharged(const emulator::Architecture& gpu, std::size_t l1_bytes)
        : machine_(of_a_sector_each(gpu)), facts_{.l1_bytes = l1_bytes} {}
    void serve(LoadPath path, std::span<const LineSectors> lines) {
        Access access;
        access.kind = Access::Kind::load;
        access.space = Space::global;
        access.path = path;
        access.line_count = static_cast<std::uint32_t>(lines.size());
        memory_.serve(access, lines, 0);
    }
    double read() const { return memory_.l2().busy(); }

  private:
    static Machine of_a_sector_each(const emulator::Architecture& gpu) {
        Machine machine = machine_of(gpu);
        machine.l2_bytes_per_cycle = machine.l2_bytes_per_cycle_per_sm = emulator::sector_bytes;
        return machine;
    }

    Machine machine_;
    LaunchFacts facts_;
    MemoryPath memory_{machine_, {}, facts_, 1};
};

// One word in each of 32 lines. Of a K40's L1 a miss fetches a line, of its texture cache a sector (an NVIDIA
// engineer, forums.developer.nvidia.com/t/277460), and by default global loads pass the L1.
TEST(Memory, AScatteredLoadOfAKeplerMovesSectorsButThroughItsL1) {
    const emulator::Architecture& kepler = *emulator::find_architecture("kepler");
    std::vector<LineSectors> words;
    for (emulator::Address line = 0; line < 32; ++line) words.emplace_back(line * 128, 1);
    const auto moved = [&](CacheOperator load, L1Mode mode) {
        SectorsCharged model(kepler, kepler.l1_bytes);
        model.serve(emulator::load_policy(kepler, load, mode).path, words);
        return model.read();
    };
    EXPECT_EQ(moved(CacheOperator::standard, L1Mode::standard), 32);
    EXPECT_EQ(moved(CacheOperator::read_only, L1Mode::standard), 32);
    EXPECT_EQ(moved(CacheOperator::read_only, L1Mode::cached), 32);
    EXPECT_EQ(moved(CacheOperator::standard, L1Mode::cached), 128);
}

// 48 KB for __ldg on a K40, beside an L1 of 16 KB: 256 lines stay in the one and not in the other, and what
// one holds the other lacks.
TEST(Memory, TheReadOnlyCacheOfAKeplerIsItsOwn) {
    const emulator::Architecture& kepler = *emulator::find_architecture("kepler");
    std::vector<LineSectors> lines;
    for (emulator::Address line = 0; line < 256; ++line) lines.emplace_back(line * 128, 0xf);
    SectorsCharged model(kepler, kepler.l1_bytes);
    model.serve(LoadPath::read_only_cache, lines);
    EXPECT_EQ(model.read(), 1024);
    model.serve(LoadPath::read_only_cache, lines);
    EXPECT_EQ(model.read(), 1024);
    model.serve(LoadPath::l1, lines);
    EXPECT_EQ(model.read(), 2048);
    model.serve(LoadPath::l1, lines);
    EXPECT_EQ(model.read(), 3072);
}

// Whatever a warp loads, the model asks the L2 for the sectors that are counted.
TEST(Property, TheModelMovesTheSectorsThatAreCounted) {
    constexpr CacheOperator operators[] = {CacheOperator::standard, CacheOperator::all_levels,
                                           CacheOperator::l2_only, CacheOperator::streaming,
                                           CacheOperator::read_only};
    constexpr L1Mode modes[] = {L1Mode::standard, L1Mode::bypass, L1Mode::cached};
    constexpr std::size_t l1_bytes = 2048;
    std::mt19937 random(0);
    const auto check = [&](emulator::Architecture gpu, L1Mode mode) {
        gpu.read_only_cache_bytes = std::min<std::size_t>(gpu.read_only_cache_bytes, 4096);
        SectorsCharged model(gpu, l1_bytes);
        emulator::MemoryModel counts(gpu, l1_bytes);
        for (int request = 0; request < 200; ++request) {
            const CacheOperator load = operators[random() % std::size(operators)];
            const LoadPath path = emulator::load_policy(gpu, load, mode).path;
            std::vector<LineSectors> lines;
            for (emulator::Address line = random() % 4; line < 48; line += 1 + random() % 16)
                lines.emplace_back(line * 128, 1 + random() % 15);
            model.serve(path, lines);
            counts.queue(0, emulator::AccessKind::load, path, lines, nullptr);
            counts.drain();
            ASSERT_EQ(model.read(), counts.counters().l2_read_sectors_most)
                << gpu.name << ", request " << request;
        }
    };
    for (const L1Mode mode : modes) {
        for (const emulator::Architecture& gpu : emulator::architectures()) check(gpu, mode);
        for (const emulator::Architecture& gpu : emulator::gpus()) check(gpu, mode);
    }
}

// ---- what ptxas makes of it

TEST(Predication, StepsOfARegionThatGoForwardAreOne) {
    std::vector<BlockTrace> blocks(1, BlockTrace(2));
    const auto steps = [](std::initializer_list<std::uint32_t> numbers) {
        std::vector<Step> result;
        for (const std::uint32_t each : numbers) result.push_back({each, 10 * each});
        return result;
    };
    // Blocks 1 to 3 are a region. The first warp goes through it twice, the second one skips its body.
    blocks[0][0].steps = steps({0, 1, 2, 3, 1, 2, 3});
    blocks[0][1].steps = steps({0, 1, 3, 4});
    const std::vector<std::uint32_t> regions{no_region, 1, 1, 1, no_region};
    const std::vector<Path> paths = join_steps(blocks, regions);
    EXPECT_EQ(paths, (std::vector<Path>{{0}, {1, 2, 3}, {1, 3}, {4}}));
    ASSERT_EQ(blocks[0][0].steps.size(), 3u);
    EXPECT_EQ(blocks[0][0].steps[2].block, 1u);
    EXPECT_EQ(blocks[0][0].steps[2].first_access, 10u);
    EXPECT_EQ(blocks[0][1].steps[1].block, 2u);
}

TEST(Predication, ABodyWaitsForThePredicateAndKeepsItsAccesses) {
    const std::vector<Instruction> head{memory(Space::global, 0, {}, {0})};
    const std::vector<Instruction> body{memory(Space::global, 0, {1}, {2})};
    const std::vector<Instruction> rest{memory(Space::global, 1, {2}, {3})};
    Instruction branch;
    branch.sources = {7};
    const std::vector<Part> parts{{head, &branch, 1}, {body, nullptr, 2}, {rest, &branch, 2}};
    const std::vector<Instruction> line = in_line(parts);
    ASSERT_EQ(line.size(), 3u);
    EXPECT_EQ(line[1].sources, (std::vector<Register>{1, 7}));
    EXPECT_EQ(line[1].access, 1u);  // behind the head's one
    EXPECT_EQ(line[2].sources, (std::vector<Register>{2}));
    EXPECT_EQ(line[2].access, 4u);  // behind the head's one and the body's two
}

}  // namespace
}  // namespace timing
