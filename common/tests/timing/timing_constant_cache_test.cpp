// The constant cache of an SM: worked out by hand.
#include <gtest/gtest.h>

#include <vector>

#include "timing/memory/constant_cache.hpp"
#include "timing/memory/memory_path.hpp"
#include "timing_fixture.hpp"

namespace timing {
namespace {

Machine machine_with_constants() {
    Machine machine = plain_machine();
    machine.constant_cycles = 8;
    machine.constant_pass_cycles = 2;
    machine.constant_next_cycles = 11;
    return machine;
}

Access load_of(std::uint16_t addresses) {
    Access access;
    access.kind = Access::Kind::load;
    access.space = Space::constant;
    access.wavefronts = addresses;
    return access;
}

// 2 cycles of the cache an address; the warp that asked has the next one 11 cycles behind the one before.
TEST(ConstantCache, ReadsOneAddressAtATime) {
    const Machine machine = machine_with_constants();
    ConstantCache cache(machine);
    EXPECT_EQ(cache.read(load_of(1), 0), 8);
    EXPECT_EQ(cache.read(load_of(4), 100), 108 + 3 * 11);
    EXPECT_EQ(cache.free(), 108);
    EXPECT_EQ(cache.read(load_of(1), 101), 116);
}

TEST(ConstantCache, AnSmTakesNoOtherLoadWhileItIsBusy) {
    const Machine machine = machine_with_constants();
    const LaunchFacts facts;
    MemoryPath memory(machine, LaunchTrace{}, facts, 1);
    EXPECT_EQ(memory.serve(load_of(4), {}, 0), 8 + 3 * 11);
    EXPECT_EQ(memory.accepts(Space::global), 4 * 2);
}

}  // namespace
}  // namespace timing
