// Loops in which a block lies: graphs made by hand.
#include "emulator/ptxas/instructions/control_flow.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "timing_fixture.hpp"

namespace timing {
namespace {

using Successors = std::vector<std::vector<std::uint32_t>>;

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

}  // namespace
}  // namespace timing
