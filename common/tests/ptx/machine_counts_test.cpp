// How many instructions of machine code warps execute: code as ptxas 13.0 makes it for sm_90, shortened, and counts that
// are derived by hand.
#include "emulator/ptx/code/machine_counts.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace emulator::ptx {
namespace {

using Executions = std::vector<std::uint64_t>;

constexpr std::uint16_t imad = 0x024, isetp = 0x00c, ldg = 0x181, stg = 0x186, bar = 0x11d,
                        ffma = 0x023;
constexpr std::uint32_t none = no_machine_block;

MachineInstruction at(std::uint32_t line, std::uint16_t operation) {
    return {line, operation, false};
}
MachineInstruction guarded(std::uint32_t line, std::uint16_t operation) {
    return {line, operation, true};
}

// What a block ends with.
MachineBlock falls(std::vector<MachineInstruction> instructions, std::uint32_t next) {
    return {std::move(instructions), next};
}
MachineBlock branches(std::vector<MachineInstruction> instructions, std::uint32_t next,
                      std::uint32_t target) {
    return {std::move(instructions), next, target, none, false, false, true};
}
MachineBlock exits(std::vector<MachineInstruction> instructions) {
    return {std::move(instructions), none, none, none, false, true, false};
}
MachineBlock some_exit(std::vector<MachineInstruction> instructions, std::uint32_t next) {
    return {std::move(instructions), next, none, none, false, true, true};
}

Executions executions(std::vector<MachineBlock> code, const PtxLines& ptx,
                      const std::vector<PtxBlockCount>& counts) {
    code[0].is_entry = true;
    return MachineCounts(code, ptx, 0).executions(counts);
}

//  1 setp; 2 @p exit; | 3 mul; 4 ld; 5 st; 6 exit
TEST(MachineCounts, ABlockWithAStoreIsExecutedAsOftenAsItsLine) {
    const PtxLines ptx{{{1, 2}, {3, 4, 5, 6}}, {1, 2, 6}};
    const std::vector<MachineBlock> code = {
        // The product is computed before the branch.
        some_exit({at(1, isetp), at(3, imad), guarded(2, machine_exit)}, 1),
        exits({at(4, ldg), at(5, stg), at(6, machine_exit)}),
    };
    const std::vector<PtxBlockCount> counts = {{100, 0}, {90, 0}};
    EXPECT_EQ(executions(code, ptx, counts), (Executions{100, 90}));
    EXPECT_EQ(MachineCounts(code, ptx, 0).instructions(counts), 100u * 3 + 90 * 3);
}

//  1 setp; 2 @p bra; | 3 ld; 4 st | 5 bar; 6 exit: the short body is guarded, there is no branch.
TEST(MachineCounts, AGuardedBodyIsIssuedByAllWarps) {
    const PtxLines ptx{{{1, 2}, {3, 4}, {5, 6}}, {1, 2, 6}};
    const std::vector<MachineBlock> code = {
        exits({at(1, isetp), guarded(3, ldg), guarded(4, stg), at(5, bar), at(6, machine_exit)})};
    EXPECT_EQ(executions(code, ptx, {{100, 30}, {40, 0}, {100, 0}}), Executions{100});
}

//  1 setp; 2 @p bra 6 | 9 mov | 10 mul; 11 mul; 3 ld; 4 setp; 5 @p bra 10 | 6 exit: what the loop does not change is
//  computed before it.
TEST(MachineCounts, WhatALoopDoesNotChangeIsComputedOnce) {
    const PtxLines ptx{{{1, 2}, {9}, {10, 11, 3, 4, 5}, {6}}, {1, 2, 4, 5, 6}};
    const std::vector<MachineBlock> code = {
        branches({at(1, isetp), guarded(2, machine_bra)}, 1, 3),
        falls({at(10, imad), at(9, imad), at(11, imad)}, 2),
        branches({at(3, ldg), at(4, isetp), guarded(5, machine_bra)}, 3, 2),
        exits({at(6, machine_exit)}),
    };
    // 80 of 100 warps enter the loop and make ten rounds each.
    EXPECT_EQ(executions(code, ptx, {{100, 0}, {80, 0}, {800, 0}, {100, 0}}),
              (Executions{100, 80, 800, 100}));
}

//  1 setp; 2 @p bra 4 | 3 st | 4 bar; 5 exit: lanes that part come to BSYNC apart, and go on together.
TEST(MachineCounts, PartedLanesComeToTheirMeetingPlaceOneByOne) {
    const PtxLines ptx{{{1, 2}, {3}, {4, 5}}, {1, 2, 5}};
    std::vector<MachineBlock> code = {
        branches({at(1, machine_bssy), at(1, isetp), guarded(2, machine_bra)}, 1, 2),
        falls({at(3, stg)}, 2),
        falls({at(3, machine_bsync)}, 3),
        exits({at(3, imad), at(4, bar), at(5, machine_exit)}),
    };
    code[3].opening = 0;
    // Of 100 warps 30 part, 20 store with all their lanes, 50 with none.
    EXPECT_EQ(executions(code, ptx, {{100, 30}, {50, 0}, {100, 0}}),
              (Executions{100, 50, 130, 100}));
}

// Behind BSYNC, without anything that stays in place: as many as came to BSSY.
TEST(MachineCounts, LanesThatHaveMetAreAsManyAsBefore) {
    const PtxLines ptx{{{1, 2}, {3}, {4}}, {1, 2}};
    std::vector<MachineBlock> code = {
        branches({at(1, machine_bssy), guarded(2, machine_bra)}, 1, 2),
        falls({at(3, stg)}, 2),
        falls({at(3, machine_bsync)}, 3),
        exits({at(9, imad), at(9, machine_exit)}),
    };
    code[3].opening = 0;
    EXPECT_EQ(executions(code, ptx, {{100, 30}, {50, 0}, {100, 0}})[3], 100u);
}

// A loop that ptxas unrolls: rounds of four, then of two, then one; line 5 is its test.
constexpr std::uint32_t load = 3, product = 4, test = 5;

std::vector<MachineBlock> unrolled(std::uint16_t of_load) {
    const auto body = [&](std::uint32_t count) {
        std::vector<MachineInstruction> code(count, at(load, of_load));
        code.insert(code.end(), count, at(product, ffma));
        return code;
    };
    auto fours = body(4);
    fours.push_back(guarded(test, machine_bra));
    return {
        falls({at(1, imad)}, 1),
        branches(fours, 2, 1),
        branches({at(test, isetp), guarded(test, machine_bra)}, 3, 4),
        falls(body(2), 4),
        branches({at(test, isetp), guarded(test, machine_bra)}, 5, 6),
        falls(body(1), 6),
        exits({at(7, machine_exit)}),
    };
}

// unroll_loops makes the same copies of the PTX.
TEST(MachineCounts, CopiesOfALoopsBodyBelongTogetherInOrder) {
    const auto rounds = [&](std::uint32_t count) {
        std::vector<std::uint32_t> lines;
        for (std::uint32_t i = 0; i < count; ++i) lines.insert(lines.end(), {load, product});
        lines.push_back(test);
        return lines;
    };
    const PtxLines ptx{{{1, 2}, rounds(4), rounds(2), rounds(1), {7}}, {test, 7}};
    // 10 warps with 15 rounds each: three of four, one of two, one of one.
    EXPECT_EQ(executions(unrolled(ldg), ptx, {{10, 0}, {30, 0}, {10, 0}, {10, 0}, {10, 0}}),
              (Executions{10, 30, 10, 10, 10, 10, 10}));
}

// Of a loop without accesses the PTX stays as it is: its rounds are taken to be as many for each warp that enters it.
TEST(MachineCounts, BodiesOfAnUnrolledLoopShareItsRounds) {
    const PtxLines ptx{{{1, 2}, {load, product, test}, {7}}, {test, 7}};
    const auto of_rounds = [&](std::uint64_t rounds) {
        return executions(unrolled(ffma), ptx, {{10, 0}, {10 * rounds, 0}, {10, 0}});
    };
    EXPECT_EQ(of_rounds(15), (Executions{10, 30, 10, 10, 10, 10, 10}));
    EXPECT_EQ(of_rounds(13), (Executions{10, 30, 10, 0, 10, 10, 10}));
    EXPECT_EQ(of_rounds(8), (Executions{10, 20, 10, 0, 10, 0, 10}));
}

// Each try of an atomic operation that is a loop is a round of it.
TEST(MachineCounts, TriesOfAtomicsThatAreLoops) {
    constexpr std::uint16_t lds = 0x184, cast_spin = 0x18d;
    PtxLines ptx{{{1, 2}, {3}, {}}, {1, 3}};
    ptx.loops = {{2, 2}};
    std::vector<MachineBlock> code = {
        falls({at(1, imad), at(2, machine_bssy)}, 1),
        branches({at(2, lds), at(2, ffma), at(2, cast_spin), guarded(2, machine_bra)}, 2, 1),
        falls({at(2, machine_bsync)}, 3),
        exits({at(3, machine_exit)}),
    };
    code[3].opening = 0;
    // 4 warps try 58 times; 12 of these tries end for some of the lanes that make them.
    EXPECT_EQ(executions(code, ptx, {{4, 0}, {4, 0}, {58, 12}}), (Executions{4, 58, 16, 4}));
}

// A quotient, on line 2, with a subroutine of 34 instructions for rare operands.
TEST(MachineCounts, RareOperandsAreCountedApart) {
    PtxLines ptx{{{1, 2, 3}, {}}, {3}};
    std::vector<MachineBlock> code = {
        branches({at(1, imad), at(2, machine_bssy), guarded(2, machine_bra)}, 1, 3),
        falls({at(2, imad), at(2, machine_call)}, 2),
        falls({at(2, imad)}, 3),
        falls({at(2, machine_bsync)}, 4),
        exits({at(3, stg), at(3, machine_exit)}),
    };
    code[1].called = 34;
    code[4].opening = 0;
    // Without counts of the operands the subroutine is taken to be never called.
    EXPECT_EQ(executions(code, ptx, {{100, 0}, {7, 5}}), (Executions{100, 0, 0, 100, 100}));
    // 7 of 100 warps have such a lane, 5 of them others, too.
    ptx.rare_calls = {{2, 1}};
    EXPECT_EQ(executions(code, ptx, {{100, 0}, {7, 5}}), (Executions{100, 7, 7, 105, 100}));
    EXPECT_EQ(
        MachineCounts(code, ptx, 0).instructions(std::vector<PtxBlockCount>{{100, 0}, {7, 5}}),
        100u * 3 + 7 * (2 + 34) + 7 + 105 + 100 * 2);
}

// A function that is called is executed as often as the PTX's, although no edge leads to it.
TEST(MachineCounts, CalledFunctions) {
    const PtxLines ptx{{{1, 2}, {5, 6}}, {2, 6}};
    std::vector<MachineBlock> code = {
        falls({at(1, machine_call)}, 1),
        exits({at(2, machine_exit)}),
        exits({at(5, imad), at(6, machine_ret)}),
    };
    code[2].is_entry = true;
    EXPECT_EQ(executions(code, ptx, {{100, 0}, {300, 0}}), (Executions{100, 100, 300}));
}

// Where nothing says how many warps enter a loop: as many as can.
TEST(MachineCounts, ALoopIsEnteredByAllThatMay) {
    const PtxLines ptx{{{1, 2}, {3, 4, 5}, {6}}, {1, 2, 4, 5, 6}};
    const std::vector<MachineBlock> code = {
        branches({at(1, isetp), guarded(2, machine_bra)}, 1, 3),
        falls({at(3, imad)}, 2),
        branches({at(3, ldg), guarded(5, machine_bra)}, 3, 2),
        exits({at(6, machine_exit)}),
    };
    EXPECT_EQ(executions(code, ptx, {{100, 0}, {800, 0}, {100, 0}}),
              (Executions{100, 100, 800, 100}));
    EXPECT_EQ(executions(code, ptx, {{100, 0}, {40, 0}, {100, 0}}), (Executions{100, 40, 40, 100}));
}

TEST(MachineCounts, NothingOfNothing) {
    EXPECT_EQ(MachineCounts({}, {{{}}, {}}, 0).instructions(std::vector<PtxBlockCount>{{100, 0}}),
              0u);
}

}  // namespace
}  // namespace emulator::ptx
