// What a GPU issues in place of PTX. Expectations are what ptxas 13.0 emits for these instructions
// (cuobjdump -sass, sm_75 to sm_90), by the unit that the mnemonic belongs to.
#include "emulator/ptxas/instructions/lowering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace timing {
namespace {

// The instructions of a kernel's body but the last, its ret.
std::vector<Instruction> lowered(const std::string& body, Register first = 0) {
    const emulator::ptx::Module module = emulator::ptx::parse(R"(.version 8.0
.target sm_75
.address_size 64
.const .align 4 .b8 table[128];
.global .align 4 .b8 place[128];
.visible .entry k(.param .u64 p, .param .u32 n)
{
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<8>; .reg .f64 %d<8>;
    .shared .align 4 .b8 tile[128];
)" + body + "    ret;\n}\n");
    const emulator::ptx::Function& function = module.functions[0];
    std::vector<std::uint32_t> block(function.instructions.size() - 1);
    std::iota(block.begin(), block.end(), 0u);
    return lower(function, block, first);
}

Instruction one(const std::string& text) { return lowered("    " + text + "\n").at(0); }

TEST(Lowering, AnInstructionGoesToTheUnitOfItsMnemonic) {
    EXPECT_EQ(one("fma.rn.f32 %f1, %f2, %f3, %f4;").unit, Unit::fp32);  // FFMA
    EXPECT_EQ(one("fma.rn.f64 %d1, %d2, %d3, %d4;").unit, Unit::fp64);  // DFMA
    EXPECT_EQ(one("ex2.approx.f32 %f1, %f2;").unit, Unit::sfu);         // MUFU.EX2
    EXPECT_EQ(one("popc.b32 %r1, %r2;").unit, Unit::sfu);               // POPC
    EXPECT_EQ(one("xor.b32 %r1, %r2, %r3;").unit, Unit::integer);       // LOP3
    EXPECT_EQ(one("mad.lo.s32 %r1, %r2, %r3, %r4;").unit, Unit::fp32);  // IMAD
    EXPECT_EQ(one("mov.u32 %r1, %tid.x;").unit, Unit::memory);
    EXPECT_EQ(one("mov.u32 %r1, %ctaid.x;").unit, Unit::sfu);         // S2R
    EXPECT_EQ(one("ld.global.f32 %f1, [%rd1];").unit, Unit::memory);  // LDG
    EXPECT_EQ(one("atom.global.add.u32 %r1, [%rd1], 1;").unit, Unit::memory);
    EXPECT_EQ(one("cvt.rn.f32.s32 %f1, %r1;").unit, Unit::sfu);  // I2F
}

TEST(Lowering, IndicesOfThreadsAndBlocksAreSpecialRegisters) {
    EXPECT_TRUE(one("mov.u32 %r1, %tid.x;").reads_special);
    EXPECT_TRUE(one("mov.u32 %r1, %ctaid.y;").reads_special);
    EXPECT_TRUE(one("mov.u32 %r1, %laneid;").reads_special);
    EXPECT_FALSE(one("mov.u32 %r1, %r2;").reads_special);
    EXPECT_FALSE(one("ld.shared.f32 %f1, [%rd1];").reads_special);
}

TEST(Lowering, WhatLeavesNoMachineInstructionIsFree) {
    for (const char* text :
         {"ld.param.u64 %rd1, [p];", "mov.u32 %r1, %r2;", "cvta.to.global.u64 %rd1, %rd2;",
          "and.pred %p1, %p2, %p3;", "cvt.u64.u32 %rd1, %r1;"}) {
        EXPECT_EQ(one(text).slots, 0) << text;
    }
}

TEST(Lowering, WhatIsNoMachineInstructionBecomesSeveral) {
    // 64 bits are two registers of 32; divisions are code.
    EXPECT_EQ(one("add.s64 %rd1, %rd2, %rd3;").slots, 2);
    EXPECT_GT(one("div.s32 %r1, %r2, %r3;").slots, 10);
    EXPECT_GT(one("div.rn.f32 %f1, %f2, %f3;").slots, 5);
    EXPECT_GT(one("rem.u64 %rd1, %rd2, %rd3;").slots, one("rem.u32 %r1, %r2, %r3;").slots);
    EXPECT_EQ(one("div.approx.f32 %f1, %f2, %f3;").unit, Unit::sfu);
}

TEST(Lowering, AnAddressIsOneInstruction) {
    // IMAD.WIDE multiplies, widens and adds.
    const auto wide = lowered(
        "    mul.wide.s32 %rd2, %r1, 4;\n    add.s64 %rd3, %rd1, %rd2;\n"
        "    ld.global.f32 %f1, [%rd3];\n");
    EXPECT_EQ(wide[0].slots + wide[1].slots, 1);
    EXPECT_EQ(wide[1].unit, Unit::fp32);
    // LEA and LEA.HI: a shift and a sum of 64 bits.
    const auto shifted = lowered("    shl.b64 %rd2, %rd1, 2;\n    add.s64 %rd4, %rd3, %rd2;\n");
    EXPECT_EQ(shifted[0].slots + shifted[1].slots, 2);
}

unsigned slots(const std::vector<Instruction>& instructions) {
    unsigned sum = 0;
    for (const Instruction& each : instructions) sum += each.slots;
    return sum;
}

// LEA R0, R0, UR4, 0x2, in front of an LDS.
TEST(Lowering, AnAddressInSharedMemoryIsOneInstruction) {
    const auto both = lowered("shl.b32 %r1, %r0, 2;\n add.s32 %r2, %r3, %r1;\n");
    EXPECT_EQ(slots(both), 1u);
    EXPECT_EQ(both[1].unit, Unit::integer);
}

// IADD3 R5, R9, R8, R5: of the chain of four sums two, not one and not three.
TEST(Lowering, TwoSumsAreOneInstruction) {
    const auto sums = lowered(
        "add.s32 %r1, %r1, %r2;\n add.s32 %r1, %r1, %r3;\n add.s32 %r1, %r1, %r4;\n add.s32 %r1, "
        "%r1, %r5;\n");
    EXPECT_EQ(slots(sums), 4u);  // the same name each time is used more than once
    const auto renamed = lowered(
        "add.s32 %r2, %r1, %r0;\n add.s32 %r3, %r2, %r0;\n add.s32 %r4, %r3, %r0;\n add.s32 %r5, "
        "%r4, %r0;\n");
    EXPECT_EQ(slots(renamed), 2u);
    // A sum of 64 bits is two instructions; one that two others use stays.
    EXPECT_EQ(slots(lowered("add.s64 %rd2, %rd1, %rd0;\n add.s64 %rd3, %rd2, %rd0;\n")), 4u);
    EXPECT_EQ(slots(lowered("add.s32 %r2, %r1, %r0;\n add.s32 %r3, %r2, %r0;\n add.s32 %r4, %r2, "
                            "%r1;\n")),
              3u);
}

TEST(Lowering, AFetchFromATextureIsALoad) {
    const Instruction fetch = one("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd1, {%r2}];");
    EXPECT_EQ(fetch.unit, Unit::memory);
    EXPECT_EQ(fetch.destinations.size(), 4u);
    EXPECT_EQ(fetch.sources.size(), 2u);
    EXPECT_TRUE(fetch.reads_memory);
    EXPECT_FALSE(fetch.writes_memory);
}

// Two IMAD.WIDE: as many as there are sums.
TEST(Lowering, EachSumTakesInTheSameProduct) {
    const auto block = lowered(
        "    mul.wide.s32 %rd2, %r1, 4;\n    add.s64 %rd3, %rd1, %rd2;\n"
        "    add.s64 %rd4, %rd5, %rd2;\n");
    EXPECT_EQ(block[0].slots, 0);
    EXPECT_EQ(block[1].slots, 1);
    EXPECT_EQ(block[2].slots, 1);
}

TEST(Lowering, AProductThatIsNotOnlyAddedStays) {
    const auto block = lowered(
        "    mul.wide.s32 %rd2, %r1, 4;\n    add.s64 %rd3, %rd1, %rd2;\n"
        "    xor.b64 %rd4, %rd5, %rd2;\n");
    EXPECT_EQ(block[0].slots, 1);
    EXPECT_EQ(block[1].slots, 1);
}

// IMAD.WIDE takes in one of them.
TEST(Lowering, OneOfTwoProductsIsTakenIn) {
    const auto block = lowered(
        "    mul.wide.s32 %rd2, %r1, 4;\n    mul.wide.s32 %rd3, %r2, 4;\n"
        "    add.s64 %rd4, %rd2, %rd3;\n    xor.b64 %rd5, %rd4, %rd1;\n");
    EXPECT_EQ(block[0].slots + block[1].slots, 1);
    EXPECT_EQ(block[2].slots, 1);
}

// MOV or HFMA2.MMA: the register gets the sum, too.
TEST(Lowering, AConstantThatChangesLaterIsMoved) {
    const auto block = lowered(
        "    mov.f32 %f1, 0f00000000;\n    mov.f32 %f2, %f3;\n    mov.f32 %f4, 0f3F800000;\n"
        "    add.f32 %f1, %f1, %f4;\n    mov.f32 %f2, %f4;\n");
    EXPECT_EQ(block[0].slots, 1);
    EXPECT_EQ(block[1].slots, 0);
    EXPECT_EQ(block[2].slots, 0);
    EXPECT_EQ(block[4].slots, 1);
}

TEST(Lowering, AProductThatWasOverwrittenIsNotFused) {
    const auto block = lowered(
        "    mul.wide.s32 %rd2, %r1, 4;\n    mov.u64 %rd2, %rd5;\n"
        "    add.s64 %rd3, %rd1, %rd2;\n");
    EXPECT_GT(block[0].slots, 0);
    EXPECT_EQ(block[2].slots, 2);
}

std::vector<bool> keeping_nothing(const std::string& body) {
    std::vector<Instruction> block = lowered(body);
    note_kept_operands(block);
    std::vector<bool> result;
    for (const Instruction& each : block) result.push_back(each.has_no_operand_reuse);
    return result;
}

TEST(Lowering, AMultiplyAddOfThreeRegistersThatSharesNoneKeepsNothing) {
    using Flags = std::vector<bool>;
    const std::string first = "    fma.rn.f32 %f0, %f1, %f2, %f0;\n";
    EXPECT_EQ(keeping_nothing(first + "    fma.rn.f32 %f3, %f4, %f5, %f3;\n"),
              (Flags{false, true}));
    EXPECT_EQ(keeping_nothing(first + "    fma.rn.f32 %f3, %f1, %f5, %f3;\n"),
              (Flags{false, false}));
    // Two different registers, or a constant.
    EXPECT_EQ(keeping_nothing(first + "    fma.rn.f32 %f3, %f4, %f4, %f3;\n"),
              (Flags{false, false}));
    EXPECT_EQ(keeping_nothing(first + "    fma.rn.f32 %f3, %f4, 0f40000000, %f3;\n"),
              (Flags{false, false}));
    // A sum in between is none.
    EXPECT_EQ(keeping_nothing(first + "    add.f32 %f6, %f6, %f7;\n"
                                      "    fma.rn.f32 %f3, %f1, %f5, %f3;\n"),
              (Flags{false, false, false}));
}

TEST(Lowering, LoadsWriteRegistersAndStoresReadThem) {
    const Instruction load = one("ld.global.v2.f32 {%f1, %f2}, [%rd1];");
    EXPECT_EQ(load.destinations.size(), 2u);
    EXPECT_EQ(load.sources.size(), 1u);
    EXPECT_TRUE(load.reads_memory);
    EXPECT_FALSE(load.writes_memory);
    const Instruction store = one("st.shared.f32 [%r1], %f1;");
    EXPECT_TRUE(store.destinations.empty());
    EXPECT_EQ(store.sources.size(), 2u);
    EXPECT_EQ(store.space, Space::shared);
    EXPECT_TRUE(store.writes_memory);
    EXPECT_FALSE(store.reads_memory);
    const Instruction atomic = one("atom.global.add.u32 %r1, [%rd1], %r2;");
    EXPECT_TRUE(atomic.reads_memory && atomic.writes_memory);
    EXPECT_EQ(atomic.destinations.size(), 1u);
    EXPECT_TRUE(one("red.global.add.u32 [%rd1], %r2;").destinations.empty());
}

TEST(Lowering, AGuardIsAnOperand) {
    EXPECT_EQ(one("@%p1 add.f32 %f1, %f2, %f3;").sources.size(), 3u);
    EXPECT_EQ(one("add.f32 %f1, %f2, %f3;").sources.size(), 2u);
}

TEST(Lowering, RegistersOfAFunctionFollowThoseBeforeIt) {
    const Instruction first = lowered("    add.f32 %f1, %f2, %f3;\n").at(0);
    const Instruction moved = lowered("    add.f32 %f1, %f2, %f3;\n", 100).at(0);
    EXPECT_EQ(moved.destinations.at(0), first.destinations.at(0) + 100);
    EXPECT_EQ(moved.sources.at(1), first.sources.at(1) + 100);
}

TEST(Lowering, FencesAndVolatileAccessesKeepTheOrderOfMemory) {
    for (const char* text :
         {"membar.gl;", "fence.acq_rel.gpu;", "ld.volatile.global.u32 %r1, [%rd1];",
          "ld.acquire.gpu.global.u32 %r1, [%rd1];"}) {
        EXPECT_TRUE(one(text).orders_memory) << text;
    }
    EXPECT_FALSE(one("ld.global.u32 %r1, [%rd1];").orders_memory);
}

Instruction control(const std::string& text) {
    const emulator::ptx::Module module = emulator::ptx::parse(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n    .reg .pred "
        "%p<4>; "
        ".reg .b32 %r<8>;\nTOP:\n    " +
        text + "\n    ret;\n}\n");
    return lower_control(module.functions[0].instructions.at(0), 0);
}

TEST(Lowering, AClockIsAnInstructionThatNothingPasses) {
    for (const char* const text :
         {"mov.u64 %rd1, %clock64;", "mov.u32 %r1, %clock;", "mov.u64 %rd1, %globaltimer;"}) {
        EXPECT_TRUE(one(text).reads_clock) << text;
        EXPECT_EQ(one(text).slots, 1) << text;
    }
    EXPECT_FALSE(one("mov.u32 %r1, %tid.x;").reads_clock);
}

TEST(Lowering, BarriersOfTheBlockWait) {
    EXPECT_EQ(control("bar.sync 0;").wait, Wait::barrier);
    EXPECT_EQ(control("bar.warp.sync -1;").wait, Wait::none);
    EXPECT_EQ(control("bar.arrive 0, 64;").wait, Wait::none);
    EXPECT_TRUE(control("bar.sync 0;").orders_memory);
}

TEST(Lowering, GroupsOfCopiesEndAndAreWaitedFor) {
    for (const char* const text : {"cp.async.bulk.commit_group;", "cp.async.commit_group;"}) {
        EXPECT_TRUE(one(text).ends_group) << text;
        EXPECT_EQ(one(text).wait, Wait::none) << text;
    }
    for (const auto& [text, groups] : {std::pair("cp.async.bulk.wait_group.read 1;", 1),
                                       {"cp.async.bulk.wait_group.read 0;", 0},
                                       {"cp.async.bulk.wait_group 2;", 2},
                                       {"cp.async.wait_group 3;", 3},
                                       {"cp.async.wait_all;", 0}}) {
        EXPECT_EQ(one(text).wait, Wait::groups) << text;
        EXPECT_EQ(one(text).groups, groups) << text;
        EXPECT_EQ(one(text).ends_group, std::string(text) == "cp.async.wait_all;") << text;
        EXPECT_TRUE(one(text).orders_memory) << text;
    }
    const Instruction copy = one("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 512;");
    EXPECT_EQ(copy.unit, Unit::memory);
    EXPECT_EQ(copy.wait, Wait::none);
    EXPECT_FALSE(copy.ends_group);
}

TEST(Lowering, ATestOfAnMbarrierWaitsForCopies) {
    for (const char* const text : {"mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2;",
                                   "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;"}) {
        EXPECT_EQ(one(text).wait, Wait::copies) << text;
        EXPECT_TRUE(one(text).orders_memory) << text;
        EXPECT_EQ(one(text).destinations.size(), 1u) << text;
    }
    for (const char* const text : {"mbarrier.init.shared.b64 [%r1], 1;",
                                   "mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 512;"}) {
        EXPECT_EQ(one(text).wait, Wait::none) << text;
    }
}

TEST(Lowering, ShufflesTakeTheWayToSharedMemory) {
    EXPECT_EQ(control("shfl.sync.down.b32 %r1, %r2, 1, 31, -1;").unit, Unit::memory);
    EXPECT_EQ(control("vote.sync.ballot.b32 %r1, %p1, -1;").unit, Unit::integer);
    EXPECT_EQ(control("@%p1 bra TOP;").slots, 1);
}

TEST(Lowering, TestsOfABarrierAreTheSameForAllThreadsAndSizesAreParameters) {
    const emulator::ptx::Module module = emulator::ptx::parse(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
{
    .reg .b32 %r<4>; .reg .pred %p<2>;
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    ret;
}
)");
    const emulator::ptx::Function& kernel = module.functions[0];
    EXPECT_FALSE(varies(kernel, kernel.instructions[0]));
    EXPECT_FALSE(varies(kernel, kernel.instructions[1]));
    EXPECT_TRUE(varies(kernel, kernel.instructions[2]));
    const std::vector<std::uint32_t> all{0, 1, 2};
    const std::vector<Instruction> lowered = lower(kernel, all, 0);
    EXPECT_TRUE(lowered[1].loads_parameter);
    EXPECT_FALSE(lowered[2].loads_parameter);
}

TEST(Lowering, ParametersAreWhatIsLoadedAndNamedAnewAlone) {
    const emulator::ptx::Module module = emulator::ptx::parse(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [n];
    ld.param.u32 %r2, [n];
    cvta.to.global.u64 %rd2, %rd1;
    add.s32 %r2, %r2, 1;
    add.s32 %r3, %r1, 1;
    ret;
}
.func (.param .b32 result) f(.param .b32 argument)
{
    .reg .b32 %r<2>;
    ld.param.u32 %r1, [argument];
    st.param.b32 [result], %r1;
    ret;
}
)");
    const emulator::ptx::Function& kernel = module.functions[0];
    std::vector<std::string> names;
    const std::vector<bool> parameters = parameters_of(kernel);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i]) names.push_back(kernel.registers[i].name);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"%r1", "%rd1", "%rd2"}));
    EXPECT_FALSE(varies(kernel, kernel.instructions[0]));
    // The argument of a call may differ from thread to thread.
    const emulator::ptx::Function& function = module.functions[1];
    EXPECT_EQ(std::ranges::count(parameters_of(function), true), 0);
    EXPECT_TRUE(varies(function, function.instructions[0]));
}

}  // namespace
}  // namespace timing
