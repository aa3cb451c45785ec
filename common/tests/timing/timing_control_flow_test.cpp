// Conditionals and loops in which a block lies: graphs made by hand.
#include "emulator/ptxas/instructions/control_flow.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "timing_fixture.hpp"

namespace timing {
namespace {

using Successors = std::vector<std::vector<std::uint32_t>>;

// The last block does something before it ends, unless `is_exit`.
std::vector<Nesting> nestings(const Successors& successors, bool is_exit = false) {
    const std::vector<Instruction> something{arithmetic({}, 0)};
    std::vector<FlowBlock> blocks;
    for (const auto& each : successors)
        blocks.push_back({something, {false}, nullptr, each, false});
    if (is_exit) blocks.back().instructions = {};
    return nesting_of(blocks);
}

struct Place {
    unsigned conditionals;
    bool is_in_loop, is_deep;
    bool operator==(const Place&) const = default;
};

Place place_of(const Successors& successors, std::uint32_t block, bool is_exit = false) {
    const Nesting nesting = nestings(successors, is_exit)[block];
    return {nesting.conditionals, nesting.is_in_loop, nesting.is_deep()};
}

// Block 1 in a conditional of the function, 2 in one more.
TEST(Nesting, ConditionalsOfTheFunctionCount) {
    const Successors twice{{1, 4}, {2, 3}, {3}, {4}, {}};
    EXPECT_EQ(place_of(twice, 0), (Place{0, false, false}));
    EXPECT_EQ(place_of(twice, 1), (Place{1, false, false}));
    EXPECT_EQ(place_of(twice, 2), (Place{2, false, true}));
    EXPECT_EQ(place_of(twice, 4), (Place{0, false, false}));
}

// The loop of blocks 1 to 3, of which 2 is in a conditional.
TEST(Nesting, OneConditionalInALoopIsDeep) {
    const Successors loop{{1}, {2, 3}, {3}, {1, 4}, {}};
    EXPECT_EQ(place_of(loop, 1), (Place{0, true, false}));
    EXPECT_EQ(place_of(loop, 2), (Place{1, true, true}));
}

// As nvcc guards a loop: block 0 skips it.
TEST(Nesting, ConditionalsAroundALoopDoNotCountInIt) {
    const Successors guarded{{1, 3}, {2}, {2, 3}, {}};
    EXPECT_EQ(place_of(guarded, 1), (Place{1, false, false}));
    EXPECT_EQ(place_of(guarded, 2), (Place{0, true, false}));
}

TEST(Nesting, ThreadsThatEndLeaveNoConditional) {
    const Successors end{{1, 2}, {2}, {}};
    EXPECT_EQ(place_of(end, 1, true), (Place{0, false, false}));
    EXPECT_EQ(place_of(end, 1), (Place{1, false, false}));
}

TEST(Loops, TheInnermostIsAround) {
    const std::vector<Instruction> none;
    std::vector<FlowBlock> blocks;
    // The outer one of blocks 1 to 3, the inner one of 2.
    for (const auto& each : Successors{{1}, {2}, {2, 3}, {1, 4}, {}})
        blocks.push_back({none, {}, nullptr, each, false});
    const Loops loops(blocks);
    EXPECT_EQ(loops.around(0), nullptr);
    EXPECT_EQ(loops.around(1)->header, 1U);
    EXPECT_EQ(loops.around(2)->header, 2U);
    EXPECT_EQ(loops.around(3)->latches, (std::vector<std::uint32_t>{3}));
    EXPECT_TRUE(loops.dominates(1, 4));
    EXPECT_FALSE(loops.dominates(4, 1));
}

TEST(Loops, BlocksThatNothingLeadsToChangeNothing) {
    const std::vector<Instruction> none;
    std::vector<FlowBlock> blocks;
    // The loop of 1, 2 and 4; nothing leads to 3.
    for (const auto& each : Successors{{1}, {2}, {4}, {4}, {1, 5}, {}})
        blocks.push_back({none, {}, nullptr, each, false});
    const Loops loops(blocks);
    ASSERT_NE(loops.around(4), nullptr);
    EXPECT_EQ(loops.around(4)->header, 1U);
    EXPECT_TRUE(loops.dominates(1, 4));
}

TEST(PostDominators, WaysWithoutAnEndDoNotMeet) {
    const std::vector<Instruction> none;
    std::vector<FlowBlock> blocks;
    for (const auto& each : Successors{{1}, {2, 3}, {1}, {1}})
        blocks.push_back({none, {}, nullptr, each, false});
    EXPECT_EQ(PostDominators(blocks).of(1), std::nullopt);
}

}  // namespace
}  // namespace timing
