// The constant cache of an SM: worked out by hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "timing/memory/constant_cache.hpp"
#include "timing/memory/memory_path.hpp"
#include "timing_fixture.hpp"

namespace timing {
namespace {

// Of two lines of 64 bytes. A line that it lacks keeps it busy for 10 cycles and comes after 30.
Machine machine_with_lines() {
    Machine machine = plain_machine();
    machine.constant_cycles = 8;
    machine.constant_pass_cycles = 2;
    machine.constant_next_cycles = 11;
    machine.constant_cache_bytes = 128;
    machine.constant_miss_cycles = 10;
    machine.constant_fill_cycles = 30;
    return machine;
}

class ConstantCacheTest : public testing::Test {
  protected:
    static double read(ConstantCache& cache, std::vector<emulator::LineSectors> lines, double now,
                       std::uint16_t addresses) {
        Access access;
        access.kind = Access::Kind::load;
        access.space = Space::constant;
        access.wavefronts = addresses;
        return cache.read(access, lines, now);
    }
    double read(std::vector<emulator::LineSectors> lines, double now, std::uint16_t addresses = 1) {
        return read(cache_, std::move(lines), now, addresses);
    }

    Machine machine_ = machine_with_lines();
    ConstantCache cache_{machine_};
};

// What is ready 8 cycles after its pass of 2 began is ready 6 cycles after its line came.
TEST_F(ConstantCacheTest, ALineIsOf64Bytes) {
    EXPECT_EQ(read({{0, 1}}, 0), 30 + 6);
    EXPECT_EQ(read({{0, 2}}, 100), 108);       // the other half of that line
    EXPECT_EQ(read({{0, 4}}, 200), 200 + 36);  // the second line
    EXPECT_EQ(read({{0, 9}}, 300), 308);       // both
}

TEST_F(ConstantCacheTest, TheLineThatWasUsedLongestAgoMakesRoom) {
    read({{0, 1}}, 0);
    read({{0, 4}}, 100);
    read({{0, 1}}, 200);
    read({{128, 1}}, 300);
    EXPECT_EQ(read({{0, 1}}, 400), 408);
    EXPECT_EQ(read({{0, 4}}, 500), 500 + 36);
}

TEST_F(ConstantCacheTest, LinesComeOneAfterAnotherAndKeepItBusyForLess) {
    EXPECT_EQ(read({{0, 0xf}}, 0, 2), 60 + 6 + 9);  // the second address is there 11 - 2 later
    EXPECT_EQ(cache_.free(), 2 * 10 + 2 * 2);
    EXPECT_EQ(read({{128, 1}}, 24), 90 + 6);  // behind those lines
    EXPECT_EQ(cache_.free(), 24 + 10 + 2);
}

TEST_F(ConstantCacheTest, ALineThatIsOnItsWayComesOnce) {
    read({{0, 1}}, 0);
    EXPECT_EQ(read({{0, 1}}, 12), 30 + 6);
    EXPECT_EQ(cache_.free(), 14);
    EXPECT_EQ(read({{0, 2}}, 40), 48);
}

TEST_F(ConstantCacheTest, ItHasAllWhereNoSizeIsKnown) {
    machine_.constant_cache_bytes = 0;
    ConstantCache all{machine_};
    EXPECT_EQ(read(all, {{0, 0xf}}, 0, 1), 8);
}

// Other loads wait behind it.
TEST(ConstantCache, AnSmTakesNoOtherLoadWhileItIsBusy) {
    const Machine machine = machine_with_lines();
    const LaunchFacts facts;
    MemoryPath memory(machine, LaunchTrace{}, facts, 1);
    Access access;
    access.kind = Access::Kind::load;
    access.space = Space::constant;
    access.wavefronts = 4;
    EXPECT_EQ(memory.serve(access, std::vector<emulator::LineSectors>{{0, 1}}, 0), 30 + 6 + 27);
    EXPECT_EQ(memory.accepts(Space::global), 10 + 4 * 2);
}

}  // namespace
}  // namespace timing
