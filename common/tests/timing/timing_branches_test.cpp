// What branches cost, and what loops load again: schedules and graphs made by hand.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "emulator/ptxas/instructions/parameter_loads.hpp"
#include "timing/sm/sm_simulation.hpp"
#include "timing_fixture.hpp"

namespace timing {
namespace {

double cycles(const Machine& machine, std::vector<Instruction> instructions, std::size_t warps) {
    const LaunchTrace trace = trace_of(std::move(instructions), warps);
    return SmSimulation(machine, trace, LaunchFacts{}).run().cycles;
}

TEST(Branches, KeepTheirWarpFromTheNextInstructionAndNoOther) {
    Machine machine = plain_machine();
    machine.branch_cycles = 11;
    Instruction branch;
    branch.branches = true;
    // Issued at 0, the next one at 12.
    EXPECT_EQ(cycles(machine, {branch, arithmetic({}, 0)}, 1), 13);
    // The second warp branches at 1.
    EXPECT_EQ(cycles(machine, {branch, arithmetic({}, 0)}, 2), 14);
}

TEST(Branches, WhatReadsAParameterWaitsUntilItIsLoaded) {
    Machine machine = plain_machine();
    machine.constant_cycles = 29;
    Instruction load;
    load.loads_parameter = true;
    load.destinations = {0};
    EXPECT_EQ(cycles(machine, {load, arithmetic({}, 1)}, 1), 2);
    EXPECT_EQ(cycles(machine, {load, arithmetic({0}, 1)}, 1), 30);
}

// Registers of the function: two parameters, and what is none.
constexpr Register size = 10, place = 11, value = 12;
const std::vector<bool> parameters{true, true, false};

struct Node {
    std::vector<Register> read;
    std::vector<std::uint32_t> successors;
    bool is_predicated = false;
};

using Loads = std::vector<std::vector<Register>>;

Loads loads_of(const std::vector<Node>& nodes) {
    std::vector<std::vector<Instruction>> bodies;
    for (const Node& node : nodes) bodies.push_back({arithmetic(node.read, value)});
    std::vector<FlowBlock> blocks;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        blocks.push_back(
            {bodies[i], {false}, nullptr, nodes[i].successors, nodes[i].is_predicated});
    return parameter_loads(blocks, size, parameters);
}

// Block 1 begins the loop, 3 goes back to it; 2 lies on one of two ways between them.
std::vector<Node> loop_with_a_body(std::vector<Register> read_by_body) {
    return {{{size}, {1}}, {{size}, {2, 3}}, {std::move(read_by_body), {3}}, {{place}, {1, 4}}, {}};
}

TEST(ParameterLoads, ALoopLoadsAgainWhatOnlySomeRoundsRead) {
    EXPECT_EQ(loads_of(loop_with_a_body({size, value, place})),
              (Loads{{}, {}, {size, place}, {}, {}}));
    EXPECT_EQ(loads_of(loop_with_a_body({value})), (Loads{{}, {}, {}, {}, {}}));
}

TEST(ParameterLoads, WithoutALoopNothingIsLoadedAgain) {
    EXPECT_EQ(loads_of({{{size}, {1, 2}}, {{size}, {2}}, {{place}, {}}}), (Loads{{}, {}, {}}));
}

TEST(ParameterLoads, APredicatedBodyIsExecutedInEveryRound) {
    std::vector<Node> nodes = loop_with_a_body({size});
    nodes[1].is_predicated = true;
    EXPECT_EQ(loads_of(nodes), (Loads{{}, {}, {}, {}, {}}));
}

// Block 2 branches around 3; what both read is loaded in the first.
TEST(ParameterLoads, OnceOnAWay) {
    EXPECT_EQ(
        loads_of(
            {{{}, {1}}, {{}, {2, 4}}, {{size}, {3, 4}}, {{size, place}, {4}}, {{}, {1, 5}}, {}}),
        (Loads{{}, {}, {size}, {place}, {}, {}}));
}

// An inner loop, of block 2 alone, that each round of the outer one executes.
TEST(ParameterLoads, WhatEveryRoundOfTheInnermostLoopReadsIsLoadedBeforeIt) {
    EXPECT_EQ(loads_of({{{}, {1}}, {{}, {2}}, {{size}, {2, 3}}, {{}, {1, 4}}, {}}),
              (Loads{{}, {}, {}, {}, {}}));
}

}  // namespace
}  // namespace timing
