// The order in which a basic block is issued, worked out by hand.
#include "timing/reorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "timing_fixture.hpp"

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

TEST(Reorder, AResultIsUsedThreeInstructionsLater) {
    const std::vector<Instruction> block{arithmetic({}, 0), arithmetic({0}, 1), arithmetic({}, 2),
                                         arithmetic({}, 3), arithmetic({}, 4),  arithmetic({}, 5)};
    EXPECT_EQ(order_of(block, many), (Registers{0, 2, 3, 4, 1, 5}));
}

TEST(Reorder, AResultIsUsedAtOnceWhereNothingElseIsLeft) {
    const std::vector<Instruction> block{arithmetic({}, 0), arithmetic({0}, 1), arithmetic({1}, 2),
                                         arithmetic({}, 3)};
    EXPECT_EQ(order_of(block, many), (Registers{0, 3, 1, 2}));
}

// A load, a hundred others, and what uses the load.
std::size_t place_of_load(Space space) {
    std::vector<Instruction> block{load(space, {}, 0)};
    for (Register i = 1; i <= 100; ++i) block.push_back(arithmetic({}, i));
    block.push_back(arithmetic({0}, 101));
    const Registers order = order_of(block, many);
    return static_cast<std::size_t>(std::ranges::find(order, 0u) - order.begin());
}

// Behind the 36th of the hundred: 64 instructions lie between the load and its use.
TEST(Reorder, ALoadFromSharedMemoryComes64InstructionsBeforeItsUse) {
    EXPECT_EQ(place_of_load(Space::shared), 36u);
    EXPECT_EQ(place_of_load(Space::global), 0u);
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
    EXPECT_EQ(order_of(block, 1), (Registers{7, 4, 1, 5, 0}));
}

// The next round reads it: no room for a second load before what else there is.
TEST(Reorder, AMovedValueKeepsItsRegister) {
    const std::vector<Instruction> block{load(Space::global, {}, 7), move(7, 0),
                                         load(Space::global, {}, 1), arithmetic({1}, 5),
                                         arithmetic({}, 6)};
    EXPECT_EQ(order_of(block, 1), (Registers{7, 0, 6, 1, 5}));
}

}  // namespace
}  // namespace timing
