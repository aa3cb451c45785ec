// Basic blocks, post-dominators and points of reconvergence of graphs drawn by hand.
#include "emulator/ptx/flow/control_flow.hpp"

#include <gtest/gtest.h>

#include <string>

#include "emulator/ptx/flow/result_uses.hpp"

namespace emulator::ptx {
namespace {

Module module_with(const std::string& body) {
    return parse(
        ".version 8.0\n.target sm_75\n.address_size 64\n"
        ".func fatal .noreturn;\n.func helper;\n"
        ".visible .entry k(.param .u64 k_param_0) {\n"
        ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n" +
        body + "}\n");
}

ControlFlow flow_of(const std::string& body) {
    const Module module = module_with(body);
    return analyse_control_flow(module.functions.back(), functions_without_return(module));
}

std::vector<std::uint32_t> post_dominators(const ControlFlow& flow) {
    std::vector<std::uint32_t> result;
    for (const BasicBlock& block : flow.blocks) result.push_back(block.post_dominator);
    return result;
}
std::vector<std::uint32_t> reconvergence(const ControlFlow& flow) {
    std::vector<std::uint32_t> result;
    for (const BasicBlock& block : flow.blocks) result.push_back(block.reconvergence);
    return result;
}
using Blocks = std::vector<std::uint32_t>;
constexpr std::uint32_t none = exit_block;

TEST(ControlFlow, IfElse) {
    const ControlFlow flow = flow_of(R"(
        @%p1 bra OTHER;        // 0
        mov.u32 %r1, 1;        // 1
        bra JOIN;
        OTHER: mov.u32 %r1, 2; // 2
        JOIN: ret;             // 3
    )");
    ASSERT_EQ(flow.blocks.size(), 4u);
    EXPECT_EQ(flow.blocks[0].successors, (Blocks{2, 1}));
    EXPECT_EQ(flow.block_of, (Blocks{0, 1, 1, 2, 3}));
    EXPECT_EQ(post_dominators(flow), (Blocks{3, 3, 3, none}));
    EXPECT_EQ(reconvergence(flow), (Blocks{3, 3, 3, none}));
}

TEST(ControlFlow, LoopWithTwoWaysOut) {
    const ControlFlow flow = flow_of(R"(
        mov.u32 %r1, 0;      // 0
        HEAD:                // 1
        @%p1 bra AFTER;
        add.u32 %r1, %r1, 1; // 2
        @%p2 bra AFTER;
        bra HEAD;            // 3
        AFTER:               // 4
        mov.u32 %r2, %r1;
        ret;
    )");
    EXPECT_EQ(post_dominators(flow), (Blocks{1, 4, 4, 1, none}));
    EXPECT_EQ(reconvergence(flow), post_dominators(flow));
}

// The usual bounds check: the two ways meet at the common return only.
TEST(ControlFlow, BoundsCheck) {
    const ControlFlow flow = flow_of("@%p1 bra END; mov.u32 %r1, 1; END: ret;");
    EXPECT_EQ(post_dominators(flow), (Blocks{2, 2, none}));
    EXPECT_EQ(reconvergence(flow), (Blocks{2, 2, none}));
}

// if (!p1) { if (p2) return; work } rest: lanes that return are not waited for at `rest`.
TEST(ControlFlow, EarlyReturnDoesNotKeepTheOthersApart) {
    const ControlFlow shared_return = flow_of(R"(
        @%p1 bra REST;        // 0
        @%p2 bra END;         // 1
        mov.u32 %r1, 1;       // 2
        REST: mov.u32 %r2, 2; // 3
        END: ret;             // 4
    )");
    EXPECT_EQ(post_dominators(shared_return), (Blocks{4, 4, 3, 4, none}));
    EXPECT_EQ(reconvergence(shared_return), (Blocks{3, 2, 3, 4, none}));

    const ControlFlow guarded = flow_of(R"(
        @%p1 bra REST;        // 0
        @%p2 exit;            // 1
        mov.u32 %r1, 1;       // 2
        REST: mov.u32 %r2, 2; // 3
        ret;
    )");
    EXPECT_EQ(guarded.blocks[1].ending, BlockEnd::may_leave);
    EXPECT_EQ(post_dominators(guarded), (Blocks{none, none, 3, none}));
    EXPECT_EQ(reconvergence(guarded), (Blocks{3, 2, 3, none}));
}

// An early end with work of its own before the return.
TEST(ControlFlow, EarlyReturnWithAStore) {
    const ControlFlow flow = flow_of(R"(
        @%p1 bra REST;                  // 0
        @!%p2 bra WORK;                 // 1
        st.global.u32 [%rd1], %r1;      // 2
        bra END;
        WORK: mov.u32 %r1, 1;           // 3
        REST: mov.u32 %r2, 2;           // 4
        END: ret;                       // 5
    )");
    EXPECT_EQ(reconvergence(flow), (Blocks{4, 3, 5, 4, 5, none}));
}

TEST(ControlFlow, AssertionAndTrap) {
    const ControlFlow flow = flow_of(R"(
        @%p1 bra FINE;       // 0
        call fatal;          // 1
        FINE:                // 2
        @%p2 bra REST;
        trap;                // 3
        REST: ret;           // 4
    )");
    EXPECT_EQ(flow.blocks[1].ending, BlockEnd::stops);
    EXPECT_TRUE(flow.blocks[1].successors.empty());
    EXPECT_EQ(reconvergence(flow), (Blocks{2, none, 4, none, none}));
    EXPECT_EQ(flow_of("call helper; ret;").blocks.size(), 1u);
}

TEST(ControlFlow, EndlessLoops) {
    // for (;;) { if (p1) a; else b; } with two ways back to the head: they meet there.
    const ControlFlow plain = flow_of(R"(
        HEAD: @%p1 bra OTHER;  // 0
        mov.u32 %r1, 1;        // 1
        bra HEAD;
        OTHER: bra HEAD;       // 2
    )");
    EXPECT_EQ(reconvergence(plain), (Blocks{0, 0, 0}));

    // for (;;) { if (p1) { if (p2) return; } rest; }
    const ControlFlow with_return = flow_of(R"(
        HEAD: @%p1 bra REST;   // 0
        @%p2 bra END;          // 1
        mov.u32 %r1, 1;        // 2
        REST: mov.u32 %r2, 1;  // 3
        bra HEAD;
        END: ret;              // 4
    )");
    EXPECT_EQ(post_dominators(with_return), (Blocks{1, 4, 3, 0, none}));
    EXPECT_EQ(reconvergence(with_return), (Blocks{3, 2, 3, 0, none}));

    // An inner loop with a way out, in an endless one: left lanes wait behind it, not around it.
    const ControlFlow nested = flow_of(R"(
        mov.u32 %r1, 0;             // 0
        OUTER: mov.u32 %r2, 0;      // 1
        INNER: @%p1 bra NEXT;       // 2
        add.u32 %r2, %r2, 1;        // 3
        bra INNER;
        NEXT: bra OUTER;            // 4
    )");
    EXPECT_EQ(reconvergence(nested), (Blocks{1, 2, 4, 2, 1}));

    // while (true); and a loop that no way enters at one head.
    EXPECT_EQ(reconvergence(flow_of("SELF: bra SELF;")), (Blocks{0}));
    const ControlFlow irreducible = flow_of(R"(
        @%p1 bra B;   // 0
        A: mov.u32 %r1, 1;
        @%p2 bra B;
        B: mov.u32 %r2, 1;
        @%p3 bra A;
        bra B;
    )");
    ASSERT_EQ(irreducible.blocks.size(), 4u);
    EXPECT_EQ(post_dominators(irreducible)[1], 2u);
}

// The return behind the loop is where the lanes meet; within the loop they meet as they do without it.
TEST(ControlFlow, LoopThatEndsInAReturn) {
    const ControlFlow flow = flow_of(R"(
        @%p1 bra END;           // 0
        HEAD: @%p2 bra OTHER;   // 1
        mov.u32 %r1, 1;         // 2
        bra LATCH;
        OTHER: mov.u32 %r1, 2;  // 3
        LATCH: @%p3 bra HEAD;   // 4
        END: ret;               // 5
    )");
    EXPECT_EQ(post_dominators(flow), (Blocks{5, 4, 4, 4, 5, none}));
    EXPECT_EQ(reconvergence(flow), post_dominators(flow));
    const ControlFlow one_block = flow_of("HEAD: add.u32 %r1, %r1, 1; @%p1 bra HEAD; ret;");
    EXPECT_EQ(reconvergence(one_block), (Blocks{1, none}));
}

// ptxas 13.0: BSSY B0 in front of the loop, BSSY B1 in it; BREAK B1 where lanes leave it; BSYNC B1 at LATCH, BSYNC B0
// behind the loop.
TEST(ControlFlow, LanesThatBreakOutOfALoopMeetBehindIt) {
    const ControlFlow flow = flow_of(R"(
        @%p1 bra END;               // 0
        bra.uni HEAD;               // 1
        LATCH: add.u32 %r1, %r1, 1; // 2
        HEAD:                       // 3
        @%p2 bra LATCH;
        @%p3 bra LATCH;             // 4
        st.global.u32 [%rd1], %r1;  // 5
        END: ret;                   // 6
    )");
    ASSERT_EQ(flow.blocks.size(), 7u);
    EXPECT_EQ(flow.blocks[3].reconvergence, 2u);
    EXPECT_EQ(flow.blocks[3].loop_exit, 5u);
    EXPECT_EQ(flow.blocks[4].reconvergence, none);
    EXPECT_EQ(flow.blocks[4].loop_exit, 5u);
    EXPECT_EQ(flow.blocks[5].loop_exit, none);
    // The loop's end takes its turn behind all that leads to it.
    Blocks order;
    for (const BasicBlock& block : flow.blocks) order.push_back(block.order);
    EXPECT_EQ(order, (Blocks{0, 1, 4, 2, 3, 5, 6}));
}

TEST(ControlFlow, JumpTable) {
    const ControlFlow flow = flow_of(R"(
        TABLE: .branchtargets A, B, A, C;
        brx.idx %r1, TABLE;  // 0
        A: mov.u32 %r1, 1;   // 1
        bra.uni JOIN;
        B: mov.u32 %r1, 2;   // 2
        bra.uni JOIN;
        C: mov.u32 %r1, 3;   // 3
        JOIN: mov.u32 %r2, 0;  // 4
        ret;
    )");
    EXPECT_EQ(flow.blocks[0].successors, (Blocks{1, 2, 3}));
    EXPECT_EQ(post_dominators(flow), (Blocks{4, 4, 4, 4, none}));
    EXPECT_EQ(reconvergence(flow), (Blocks{4, 4, 4, 4, none}));
}

TEST(ControlFlow, BodyWithoutReturnAndLabelAtItsEnd) {
    const ControlFlow flow = flow_of("@%p1 bra END; mov.u32 %r1, 1; END:");
    ASSERT_EQ(flow.blocks.size(), 2u);
    EXPECT_TRUE(flow.blocks[0].may_reach_end);
    EXPECT_EQ(post_dominators(flow), (Blocks{none, none}));
    EXPECT_TRUE(flow_of("").blocks.empty());
}

TEST(ResultUses, AtomicsWhoseResultIsRead) {
    const Module module = module_with(R"(
        atom.global.add.u32 %r1, [%rd1], 1;    // 0: written again before a read
        atom.global.add.u32 %r2, [%rd1], 1;    // 1: read
        atom.global.add.u32 %r3, [%rd1], 1;    // 2: never read
        atom.global.add.u32 _, [%rd1], 1;      // 3
        mov.u32 %r1, 5;                        // 4
        add.u32 %r1, %r1, %r2;                 // 5
        HEAD:
        @%p2 add.u32 %r5, %r4, 1;              // 6: read in the next round
        atom.global.add.u32 %r4, [%rd1], 1;    // 7
        @%p1 bra HEAD;                         // 8
        atom.global.add.u32 %r6, [%rd1], 1;    // 9: a guarded write keeps it
        @%p1 mov.u32 %r6, 1;                   // 10
        st.global.u32 [%rd1], %r6;             // 11
        atom.global.add.u64 %rd2, [%rd1], 1;   // 12: read as an address
        ld.global.v2.u32 {%r7, %r8}, [%rd2];   // 13
        ret;
    )");
    const Function& function = module.functions.back();
    const ControlFlow flow = analyse_control_flow(function);
    const ResultUses uses(function, flow);
    for (std::uint32_t unread : {0, 2, 3, 13}) EXPECT_FALSE(uses.is_result_read(unread)) << unread;
    for (std::uint32_t read : {1, 7, 9, 12}) EXPECT_TRUE(uses.is_result_read(read)) << read;
}

}  // namespace
}  // namespace emulator::ptx
