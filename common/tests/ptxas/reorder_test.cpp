// The order in which a basic block is issued, worked out by hand.
#include "emulator/ptxas/instructions/reorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "../timing/timing_fixture.hpp"
#include "emulator/ptxas/instructions/thread_registers.hpp"

namespace timing {
namespace {

constexpr unsigned many = 32;

Instruction load(Space space, std::vector<Register> sources, Register destination) {
    Instruction result = memory(space, no_access, std::move(sources), {destination});
    result.reads_memory = true;
    return result;
}

Instruction move(Register source, Register destination) {
    Instruction result = arithmetic({source}, destination);
    result.slots = 0;
    result.moves = true;
    return result;
}

using Registers = std::vector<Register>;

// By what they write, each another register.
Registers order_of(const std::vector<Instruction>& block, unsigned free_registers) {
    Registers result;
    for (const Instruction& each : reorder(block, free_registers))
        result.push_back(each.destinations[0]);
    return result;
}

// The address of the second load is in register 8.
TEST(Reorder, AnAddressIsNotMadeBeforeThereIsARegisterForItsLoad) {
    const std::vector<Instruction> block{load(Space::global, {}, 0), arithmetic({}, 8),
                                         load(Space::global, {8}, 1), arithmetic({0}, 4),
                                         arithmetic({1}, 5)};
    EXPECT_EQ(order_of(block, 2), (Registers{0, 8, 1, 4, 5}));
    EXPECT_EQ(order_of(block, 1), (Registers{0, 4, 8, 1, 5}));
}

// Register 0 holds what the round before has loaded; its last use frees a register for another load.
TEST(Reorder, AValueOfTheRoundBeforeFreesItsRegister) {
    const std::vector<Instruction> block{arithmetic({0}, 4), load(Space::global, {}, 7), move(7, 0),
                                         load(Space::global, {}, 1), arithmetic({1}, 5)};
    EXPECT_EQ(order_of(block, 1), (Registers{7, 4, 1, 0, 5}));
}

// The next round reads it: no room for a second load before what else there is.
TEST(Reorder, AMovedValueKeepsItsRegister) {
    const std::vector<Instruction> block{load(Space::global, {}, 7), move(7, 0),
                                         load(Space::global, {}, 1), arithmetic({1}, 5),
                                         arithmetic({}, 6)};
    EXPECT_EQ(order_of(block, 1), (Registers{7, 0, 6, 1, 5}));
}

// Loads of which the first `computed` have an address of their own, made by what stands before each, or
// by what is free; the others' addresses come from before the block.
std::vector<Instruction> loads_with_addresses(unsigned loads, unsigned computed,
                                              const Instruction& definition) {
    std::vector<Instruction> line;
    for (unsigned i = 0; i < loads; ++i) {
        const auto address = static_cast<Register>(100 + i);
        if (i < computed) {
            line.push_back(definition);
            line.back().destinations = {address};
        }
        line.push_back(load(Space::global, {address}, static_cast<Register>(200 + i)));
    }
    return line;
}

// Of 32 registers, 10 of them live: 8 more are in use, or 13 where addresses are computed.
constexpr unsigned left_of_few = 32 - 10 - 8, left_beside_addresses = 32 - 10 - 13;

TEST(FreeRegisters, ComputedAddressesAreInUseWhereAQuarterOfTheLoadsHasOne) {
    const Instruction definition = arithmetic({}, 0);
    for (const auto& [loads, computed, left] :
         std::vector<std::array<unsigned, 3>>{{0, 0, left_of_few},
                                              {1, 0, left_of_few},
                                              {1, 1, left_beside_addresses},
                                              {4, 1, left_beside_addresses},
                                              {5, 1, left_of_few},
                                              {8, 2, left_beside_addresses},
                                              {9, 2, left_of_few}}) {
        const auto line = loads_with_addresses(loads, computed, definition);
        EXPECT_EQ(free_registers(32, 10, line), left) << computed << " of " << loads;
    }
}

TEST(FreeRegisters, OnlyAnAddressOfOneOrTwoCountsAndNoneThatIsFreeOrLoaded) {
    const auto left = [](const Instruction& definition) {
        return free_registers(32, 10, loads_with_addresses(1, 1, definition));
    };
    EXPECT_EQ(left(arithmetic({}, 0)), left_beside_addresses);
    EXPECT_EQ(left(move(7, 0)), left_of_few);
    EXPECT_EQ(left(load(Space::global, {7}, 0)), left_of_few);
    for (unsigned readers = 1; readers <= 4; ++readers) {
        std::vector<Instruction> line{arithmetic({}, 0)};
        for (unsigned i = 0; i < readers; ++i)
            line.push_back(load(Space::global, {0}, static_cast<Register>(1 + i)));
        EXPECT_EQ(free_registers(32, 10, line), readers <= 2 ? left_beside_addresses : left_of_few)
            << readers;
    }
}

TEST(FreeRegisters, OnlyLoadsFromGlobalMemoryCount) {
    std::vector<Instruction> line{arithmetic({}, 0), load(Space::shared, {0}, 1)};
    EXPECT_EQ(free_registers(32, 10, line), left_of_few);
    line.push_back(load(Space::global, {0}, 2));
    EXPECT_EQ(free_registers(32, 10, line), left_beside_addresses);
}

TEST(FreeRegisters, DependOnHowManyThereAre) {
    const auto line = loads_with_addresses(1, 1, arithmetic({}, 0));
    EXPECT_EQ(free_registers(33, 10, line), 33u - 10 - 5);
    EXPECT_EQ(free_registers(31, 10, line), 31u - 10 - 8);
    // Four are left at least.
    EXPECT_EQ(free_registers(32, 15, line), 4u);
    EXPECT_EQ(free_registers(32, 16, line), 4u);
    EXPECT_EQ(free_registers(40, 40, line), 4u);
}

}  // namespace
}  // namespace timing
