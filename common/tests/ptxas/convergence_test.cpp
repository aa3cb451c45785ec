// Where threads of a warp part and meet again: graphs made by hand.
#include "emulator/ptxas/instructions/convergence.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "../timing/timing_fixture.hpp"

namespace timing {
namespace {

// Of the function; the first is written by an instruction whose result varies from thread to thread.
constexpr Register thread = 10, parameter = 11, value = 12, unread = 13;
constexpr std::size_t registers = 4;

struct Node {
    std::vector<Instruction> body;
    std::vector<Register> tested;  // by the branch at the end
    std::vector<std::uint32_t> successors;
    bool is_predicated = false;
    bool is_return = false;  // and nothing else
};

using Counts = std::vector<unsigned>;

struct Issued {
    Counts begins, ends;
    bool operator==(const Issued&) const = default;
};

// The first block makes the number of the thread. What ends does something before.
Issued issued(std::vector<Node> nodes) {
    for (Node& node : nodes) {
        if (node.successors.empty() && !node.is_return) node.body.push_back(arithmetic({}, unread));
    }
    nodes[0].body.insert(nodes[0].body.begin(), arithmetic({}, thread));
    std::vector<Instruction> controls(nodes.size());
    std::vector<FlowBlock> blocks;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& node = nodes[i];
        controls[i].sources = node.tested;
        std::vector<bool> varies;
        for (const Instruction& each : node.body) varies.push_back(each.destinations[0] == thread);
        blocks.push_back({node.body, varies, node.successors.empty() ? nullptr : &controls[i],
                          node.successors, node.is_predicated});
    }
    Issued result;
    for (const Convergence& each : convergence_of(blocks, thread, registers)) {
        result.begins.push_back(each.begins);
        result.ends.push_back(each.ends);
    }
    return result;
}

const Issued nothing_of_three{{0, 0, 0}, {0, 0, 0}};

Issued if_of(std::vector<Register> tested, bool is_predicated = false) {
    return issued({{{}, std::move(tested), {1, 2}, is_predicated}, {{}, {}, {2}}, {}});
}

TEST(Convergence, ThreadsThatSkipABodyAreAwaitedBehindIt) {
    EXPECT_EQ(if_of({thread}), (Issued{{1, 0, 0}, {0, 0, 1}}));
    EXPECT_EQ(if_of({parameter, thread}), (Issued{{1, 0, 0}, {0, 0, 1}}));
}

TEST(Convergence, WhereAllThreadsBranchAlikeNothingIsIssued) {
    EXPECT_EQ(if_of({parameter}), nothing_of_three);
}

TEST(Convergence, APredicatedBodyNeedsNone) { EXPECT_EQ(if_of({thread}, true), nothing_of_three); }

TEST(Convergence, TwoWaysMeetBehindBoth) {
    EXPECT_EQ(issued({{{}, {thread}, {1, 2}}, {{}, {}, {3}}, {{}, {}, {3}}, {}}),
              (Issued{{1, 0, 0, 0}, {0, 0, 0, 1}}));
}

// Block 2 lies behind block 3, where they meet first.
TEST(Convergence, ThreadsMeetAsEarlyAsTheyCan) {
    EXPECT_EQ(issued({{{}, {thread}, {1, 3}}, {{}, {}, {3}}, {}, {{}, {}, {2}}}),
              (Issued{{1, 0, 0, 0}, {0, 0, 0, 1}}));
}

TEST(Convergence, ABranchWithinAnotherHasItsOwnMeeting) {
    EXPECT_EQ(
        issued({{{}, {thread}, {1, 4}}, {{}, {thread}, {2, 3}}, {{}, {}, {3}}, {{}, {}, {4}}, {}}),
        (Issued{{1, 1, 0, 0, 0}, {0, 0, 0, 1, 1}}));
}

// if (a && b): the outer branch's meeting serves both.
TEST(Convergence, BranchesWithOneMeetingAreOne) {
    EXPECT_EQ(issued({{{}, {thread}, {1, 3}}, {{}, {thread}, {2, 3}}, {{}, {}, {3}}, {}}),
              (Issued{{1, 0, 0, 0}, {0, 0, 0, 1}}));
    // The outer branch is the same for all threads.
    EXPECT_EQ(issued({{{}, {parameter}, {1, 3}}, {{}, {thread}, {2, 3}}, {{}, {}, {3}}, {}}),
              (Issued{{0, 1, 0, 0}, {0, 0, 0, 1}}));
}

Issued loop_until(Register limit) {
    return issued({{{arithmetic({parameter}, value)}, {}, {1}},
                   {{arithmetic({value}, value)}, {value, limit}, {1, 2}},
                   {}});
}

TEST(Convergence, OfALoopItIsIssuedOnceWhereItIsEntered) {
    EXPECT_EQ(loop_until(thread), (Issued{{1, 0, 0}, {0, 0, 1}}));
    EXPECT_EQ(loop_until(parameter), nothing_of_three);
}

// while (a) { if (b) break; }
TEST(Convergence, TwoExitsOfALoopAreOne) {
    EXPECT_EQ(issued({{{}, {}, {1}}, {{}, {thread}, {2, 3}}, {{}, {thread}, {1, 3}}, {}}),
              (Issued{{1, 0, 0, 0}, {0, 0, 0, 1}}));
}

TEST(Convergence, ALoopThatIsEnteredFromTwoBlocksBeginsInBoth) {
    EXPECT_EQ(
        issued(
            {{{}, {parameter}, {1, 2}}, {{}, {}, {3}}, {{}, {}, {3}}, {{}, {thread}, {3, 4}}, {}}),
        (Issued{{0, 1, 1, 0, 0}, {0, 0, 0, 0, 1}}));
}

// if (thread >= n) return;
TEST(Convergence, ThreadsThatReturnAreNotAwaited) {
    EXPECT_EQ(issued({{{}, {thread}, {1, 2}}, {}, {}}), nothing_of_three);
}

// if (thread < n) { ... } return;
TEST(Convergence, ThreadsWithNothingLeftToDoEndWhereTheyPart) {
    EXPECT_EQ(issued({{{}, {thread}, {1, 2}}, {{}, {}, {2}}, {{}, {}, {}, false, true}}),
              nothing_of_three);
}

// One way alone makes a value, which a second branch tests.
Issued test_of_made(Register tested_first, Register made) {
    return issued({{{}, {tested_first}, {1, 2}},
                   {{arithmetic({parameter}, made)}, {}, {2}},
                   {{}, {value}, {3, 4}},
                   {{}, {}, {4}},
                   {}});
}

TEST(Convergence, AValueMadeOnOneWayAloneVariesBehindTheMeeting) {
    EXPECT_EQ(test_of_made(thread, value), (Issued{{1, 0, 1, 0, 0}, {0, 0, 1, 0, 1}}));
    EXPECT_EQ(test_of_made(parameter, value), (Issued{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}));
    // Another one is made, which nothing reads.
    EXPECT_EQ(test_of_made(thread, parameter), (Issued{{1, 0, 0, 0, 0}, {0, 0, 1, 0, 0}}));
}

// Threads leave the loop after as many rounds as their number says, with values of their own.
TEST(Convergence, AValueOfALoopVariesBehindItWhereItsRoundsDo) {
    const auto tested_behind = [](Register limit) {
        return issued({{{}, {}, {1}},
                       {{arithmetic({parameter}, value)}, {limit}, {1, 2}},
                       {{}, {value}, {3, 4}},
                       {{}, {}, {4}},
                       {}});
    };
    EXPECT_EQ(tested_behind(thread), (Issued{{1, 0, 1, 0, 0}, {0, 0, 1, 0, 1}}));
    EXPECT_EQ(tested_behind(parameter), (Issued{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}));
}

}  // namespace
}  // namespace timing
