// What waits at slices of the L2 for what other SMs send there, by the formulas of queues; and what draws of chance share.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "timing/machine/chance.hpp"
#include "timing/memory/l2_requests.hpp"
#include "timing/memory/memory_path.hpp"
#include "timing_fixture.hpp"

namespace timing {
namespace {

// As many slices as SMs, a sector a cycle of each. Half of a slice's time is taken by lines of four sectors each: what arrives
// waits for the rest of one, two cycles in half of the cases, and for those before it (M/D/1: 0.5 / (2 * 0.5) * 4).
Machine machine_with_slices() {
    Machine machine = machine_with_dram();
    machine.dram_bytes_per_cycle = 1e9;
    machine.l2_slices = 4;
    machine.l2_store_lines_per_cycle = machine.l2_store_sectors_per_cycle = 4;
    machine.l2_burst_cycles = 1000;
    machine.stores_on_the_way = 100;
    return machine;
}

// What a load waits for in the mean, when stores of a line, of which so many bytes are written, come each so many cycles.
double wait_beside_stores(const Machine& machine, unsigned bytes, double apart) {
    L2Requests requests(machine, 4);
    Access store;
    store.line_count = 1;
    store.sectors = 4;
    store.bytes = bytes;
    for (unsigned i = 0; i < 5000; ++i) {
        const std::vector<emulator::LineSectors> line{{std::uint64_t{i} * 128, 0xf}};
        requests.store(store, line, apart * i);
    }
    return requests.load(1, apart * 5000).wait;
}

TEST(L2Requests, LoadsWaitAtSlicesForWhatOtherSmsStore) {
    const Machine machine = machine_with_slices();
    EXPECT_NEAR(wait_beside_stores(machine, 128, 8), 2, 0.05);
    EXPECT_NEAR(wait_beside_stores(machine, 128, 16), 0.25 / (2 * 0.75) * 4, 0.02);
    // The mask of a line's bytes makes five of four sectors.
    EXPECT_NEAR(wait_beside_stores(machine, 100, 8), 0.625 / (2 * 0.375) * 5, 0.1);
    Machine even = machine;
    even.l2_slices = 1;  // not known
    EXPECT_EQ(wait_beside_stores(even, 128, 8), 0);
}

// Lines of four and of one sector, in turns: M/G/1 has 0.5 / (2 * 0.5) * (16 + 1) / (4 + 1).
TEST(L2Requests, LongOnesKeepOthersWaitingForMoreThanTheirShare) {
    L2Requests requests(machine_with_slices(), 4);
    for (unsigned i = 0; i < 5000; ++i) requests.note_fill(i % 2 == 0 ? 128 : 32, 5.0 * i);
    EXPECT_NEAR(requests.load(1, 25'000).wait, 1.7, 0.05);
}

// A queue that is hardly served grows like a random walk: by the square of four cycles 1 / 4.1 times a cycle.
TEST(L2Requests, AQueueAtASliceHasAnEnd) {
    L2Requests requests(machine_with_slices(), 4);
    for (unsigned i = 0; i < 5000; ++i) requests.note_fill(128, 4.1 * i);
    const double longest = 2.0 / 3 * std::sqrt(2 / std::numbers::pi * 16 / 4.1 * 1000);
    EXPECT_NEAR(requests.load(1, 20'500).wait, longest, 0.02 * longest);
}

TEST(Chance, EachDrawOfFewHasAnotherPartOfTheRange) {
    for (const unsigned draws : {5u, 7u, 9u, 15u}) {
        for (std::uint64_t thing = 0; thing < 100; ++thing) {
            std::vector<unsigned> parts(draws);
            for (unsigned draw = 0; draw < draws; ++draw)
                ++parts[static_cast<unsigned>(std::ceil(stratified(thing, {draw, draws}) * draws)) -
                        1];
            EXPECT_EQ(std::ranges::count(parts, 1u), draws) << thing;
        }
    }
}

TEST(Chance, EachDrawHasAnotherPartOfTheRange) {
    constexpr unsigned draws = 25;
    double sum_of_means = 0, sum_of_squares = 0, sum_of_products = 0;
    constexpr std::uint64_t things = 2000;
    for (std::uint64_t thing = 0; thing < things; ++thing) {
        std::array<unsigned, draws> parts{};
        double mean = 0, product = 0;
        for (unsigned draw = 0; draw < draws; ++draw) {
            const double found = stratified(thing, {draw, draws});
            EXPECT_GT(found, 0);
            EXPECT_LE(found, 1);
            ++parts[std::min(draws - 1, static_cast<unsigned>(found * draws))];
            mean += exponential(1, found) / draws;
            product += (found - 0.5) * (stratified(thing + things, {draw, draws}) - 0.5) / draws;
        }
        EXPECT_EQ(std::ranges::count(parts, 1u), draws);
        sum_of_means += mean;
        sum_of_products += product * product;
        sum_of_squares += (mean - 1) * (mean - 1);
    }
    EXPECT_NEAR(sum_of_means / things, 1, 0.005);
    EXPECT_LT(sum_of_squares / things, 0.2 / draws);  // 1 / draws, were they independent
    // Two things come in different orders: if in the same, 1 / 720; if what one finds said nothing of the other, 1 / 3600.
    EXPECT_LT(sum_of_products / things, 1. / 1440);
}

// A line from DRAM every eight cycles: half of a slice's time, as if they were stored.
TEST(Memory, LoadsWaitAtSlicesForWhatComesFromDram) {
    Machine machine = machine_with_slices();
    LineLoad load;
    const auto mean_latency = [&](bool from_dram) {
        LaunchFacts facts;
        if (!from_dram) facts.dram_share_of_reads = facts.dram_bytes_per_read_sector = 0;
        MemoryPath memory(machine, LaunchTrace{}, facts, 4);
        double sum = 0;
        constexpr unsigned before = 1000, loads = 20'000;
        for (unsigned i = 0; i < before + loads; ++i) {
            load.line = {{std::uint64_t{i} * 512, 0xf}};
            const double latency = memory.serve(load.access, load.line, 8.0 * i) - 8.0 * i;
            if (i >= before) sum += latency;
        }
        return sum / loads;
    };
    const double dram = mean_latency(true), l2 = mean_latency(false);
    machine.l2_slices = 1;
    EXPECT_NEAR(dram - mean_latency(true), 2, 0.1);
    EXPECT_NEAR(l2 - mean_latency(false), 0, 1e-9);
}

}  // namespace
}  // namespace timing
