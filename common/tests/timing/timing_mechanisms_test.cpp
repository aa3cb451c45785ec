// Machines without some of their mechanisms.
#include "timing/machine/mechanisms.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "timing/sm/sm_simulation.hpp"
#include "timing_fixture.hpp"

namespace timing {
namespace {

TEST(Mechanisms, AreFewAndHaveNamesOfTheirOwn) {
    std::set<std::string_view> names;
    for (const Mechanism& each : mechanisms()) names.insert(each.name);
    EXPECT_EQ(names.size(), mechanisms().size());
    EXPECT_LE(names.size(), 20U);
}

TEST(Mechanisms, AreLeftOutByName) {
    Machine machine = plain_machine();
    machine.dram_turnaround_cycles = 10;
    machine.lsu_queue_per_sm = 22;
    const Machine found = without(machine, "dram_turnaround,write_backs,predication");
    EXPECT_EQ(found.dram_turnaround_cycles, 0);
    EXPECT_FALSE(found.switches.writes_back);
    EXPECT_FALSE(found.switches.ptxas.predicates);
    EXPECT_TRUE(found.switches.ptxas.reorders);
    EXPECT_EQ(found.lsu_queue_per_sm, 22);
    EXPECT_TRUE(without(machine, "").switches.writes_back);
}

TEST(Mechanisms, OthersAreRefused) {
    for (const char* const names : {"banks", "write_backs,banks", "write_backs, dram_rows", ","})
        EXPECT_THROW(without(Machine{}, names), std::invalid_argument) << names;
}

// Two stores of the same line; the second one merges with the first: the L2 takes one line, not two.
TEST(Mechanisms, StoresThatDoNotMergeAreSentOneByOne) {
    Machine machine = plain_machine();
    machine.l2_store_sectors_per_cycle = 0.01;
    machine.max_merged_store_lines = 16;
    machine.lsu_queue_per_scheduler = machine.lsu_queue_per_sm = 4;
    LaunchTrace trace =
        trace_of({memory(Space::global, 0, {}, {}), memory(Space::global, 1, {}, {})}, 1);
    Access store;
    store.kind = Access::Kind::store;
    store.space = Space::global;
    store.sectors = store.line_count = 1;
    store.bytes = 16;
    trace.lines = {{0, 1}};
    trace.blocks[0][0].accesses = {store, store};
    const auto cycles = [&](const Machine& with) {
        return SmSimulation(with, trace, LaunchFacts{}).run().cycles;
    };
    // A sector takes 100 cycles, and the mask of its bytes as long: whole after the second store, it needs none.
    EXPECT_NEAR(cycles(without(machine, "store_merging")) - cycles(machine), 300, 110);
}

}  // namespace
}  // namespace timing
