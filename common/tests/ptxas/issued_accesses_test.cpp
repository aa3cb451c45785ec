// Which accesses ptxas issues. Each expectation is what ptxas 13.0 made of such code for sm_90: the SASS is
// in the comments.
#include "emulator/ptxas/accesses/issued_accesses.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using emulator::ptx::IssuedPiece;
using Pieces = std::vector<IssuedPiece>;

// A kernel whose %r1 is 32 x the thread's index, %r3 a word of its own, %rd1 a global address, with the
// shared arrays `tile` at 0 and `odd` at 4100; %r4 and %r5 as %r1 and %r3 in constant memory; only what is `used`
// counts as read.
class Kernel {
  public:
    // `code`: the machine code, with lines that count from the body's first one.
    explicit Kernel(const std::string& body, const std::string& used = "",
                    std::vector<emulator::ptx::MachineAccess> code = {})
        : module_(emulator::ptx::parse(R"(.version 8.0
.target sm_90
.address_size 64
.const .align 4 .b8 table[4096];
.visible .entry k(.param .u64 p)
{
    .reg .pred %p<9>;
    .reg .b32 %r<40>;
    .reg .f32 %f<40>;
    .reg .b64 %rd<9>;
    .reg .b16 %rs<20>;
    .shared .align 4 .b8 tile[4096];
    .shared .align 4 .b8 odd[4096];
    mov.u32 %r30, %tid.x;
    shl.b32 %r31, %r30, 5;
    mov.u32 %r32, tile;
    add.s32 %r1, %r32, %r31;
    mov.u32 %r33, odd;
    add.s32 %r2, %r33, %r31;
    shl.b32 %r34, %r30, 2;
    add.s32 %r3, %r32, %r34;
    mov.u32 %r35, table;
    add.s32 %r4, %r35, %r31;
    add.s32 %r5, %r35, %r34;
    ld.param.u64 %rd1, [p];
BODY:
)" + body + used + "    ret;\n}\n")) {
        const auto& function = module_.functions[0];
        first_ = function.labels[0].instruction;
        for (auto& access : code) access.line += function.instructions[first_].text_line;
        found_ = std::make_unique<emulator::ptx::IssuedAccesses>(
            function, emulator::ptx::analyse_control_flow(function),
            [](const std::string& symbol) {
                static const std::map<std::string, std::uint64_t> offsets = {
                    {"tile", 0}, {"table", 0}, {"odd", 4100}};
                const auto offset = offsets.find(symbol);
                return offset == offsets.end() ? std::nullopt : std::optional(offset->second);
            },
            code.empty() ? nullptr : &code);
    }

    // Of the i-th instruction of the body.
    const Pieces* operator[](std::uint32_t i) const { return found_->of(first_ + i); }
    bool is_for_one_lane(std::uint32_t i, bool is_result_read) const {
        return found_->is_for_one_lane(first_ + i, is_result_read);
    }

  private:
    emulator::ptx::Module module_;
    std::uint32_t first_ = 0;
    std::unique_ptr<emulator::ptx::IssuedAccesses> found_;
};

std::string loads(const std::vector<int>& offsets, const std::string& base = "%r1") {
    std::string text;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        text += "    ld.shared.f32 %f" + std::to_string(i) + ", [" + base + "+" +
                std::to_string(offsets[i]) + "];\n";
    }
    return text;
}

std::string sum_of(int registers) {
    std::string text;
    for (int i = 0; i < registers; ++i)
        text += "    add.f32 %f39, %f39, %f" + std::to_string(i) + ";\n";
    return text;
}

void expect(const Pieces* actual, const Pieces& expected) {
    ASSERT_NE(actual, nullptr);
    EXPECT_EQ(*actual, expected);
}

std::string halves(const std::vector<int>& offsets, const std::string& base = "%r1") {
    std::string text;
    for (const int offset : offsets)
        text += "    ld.shared.u16 %rs" + std::to_string(offset) + ", [" + base + "+" +
                std::to_string(offset) + "];\n    cvt.u32.u16 %r9, %rs" + std::to_string(offset) +
                ";\n";
    return text;
}

// LDC.64 R4, c[0x3][R0]; LDC.64 R6, c[0x3][R0+0x8]: never of 16 bytes.
TEST(IssuedAccesses, WordsOfConstantMemoryAreJoinedInPairs) {
    const auto loads_of = [](const std::vector<int>& offsets, const std::string& base) {
        std::string text;
        for (const int offset : offsets)
            text += "    ld.const.f32 %f" + std::to_string(offset / 4) + ", [" + base + "+" +
                    std::to_string(offset) + "];\n";
        return text;
    };
    const Kernel four(loads_of({0, 4, 8, 12}, "%r4"), sum_of(4));
    EXPECT_EQ(*four[0], (Pieces{{0, 8}}));
    EXPECT_EQ(*four[1], Pieces{});
    EXPECT_EQ(*four[2], (Pieces{{0, 8}}));
    EXPECT_EQ(*four[3], Pieces{});
    // Of two aligned pairs one word each; and where no more than a word is known to be aligned.
    const Kernel across(loads_of({4, 8}, "%r4"), sum_of(4));
    EXPECT_EQ(*across[0], (Pieces{{0, 4}}));
    EXPECT_EQ(*across[1], (Pieces{{0, 4}}));
    const Kernel words(loads_of({0, 4}, "%r5"), sum_of(4));
    EXPECT_EQ(words[0], nullptr);
    // The base changes in between.
    const Kernel moved(loads_of({0}, "%r4") + "    add.s32 %r4, %r4, 8;\n" + loads_of({4}, "%r4"),
                       sum_of(4));
    EXPECT_EQ(*moved[0], (Pieces{{0, 4}}));
    EXPECT_EQ(*moved[2], (Pieces{{0, 4}}));
}

// LDS.64 R4, [R0]; LDS R0, [R0+0x4]; LDS.U16 R5, [R0+0x2] and LDS.U16 R7, [R0+0x4]
TEST(IssuedAccesses, HalvesAreJoinedInAlignedEightBytes) {
    const Kernel three(halves({2, 4, 6}));
    EXPECT_EQ(*three[0], (Pieces{{-2, 8}}));
    EXPECT_EQ(*three[2], Pieces{});
    EXPECT_EQ(*three[4], Pieces{});
    const Kernel two(halves({4, 6}));
    EXPECT_EQ(*two[0], (Pieces{{0, 4}}));
    EXPECT_EQ(*two[2], Pieces{});
    const Kernel across(halves({2, 4}));
    EXPECT_EQ(*across[0], (Pieces{{0, 2}, {2, 2}}));
    const Kernel rows(halves({0, 2, 4, 6, 8, 10, 12, 14}));
    EXPECT_EQ(*rows[0], (Pieces{{0, 8}}));
    EXPECT_EQ(*rows[8], (Pieces{{0, 8}}));
    // Single bytes are not: LDS.U8 R5, [R0]; LDS.U8 R7, [R0+0x1]
    const Kernel bytes("    ld.shared.u8 %rs0, [%r1];\n    ld.shared.u8 %rs2, [%r1+1];\n");
    EXPECT_EQ(bytes[0], nullptr);
    EXPECT_EQ(bytes[1], nullptr);
}

// LDS.128 R4, [R0]; LDS.64 R18, [R0]; LDS R5, [R0] and LDS.U16 R7, [R0+0x4]; STS.64 [R0], R4 and STS [R0+0x8], R8
TEST(IssuedAccesses, VectorsThatFillAWordAreJoinedAsWords) {
    const std::string used =
        "    add.u16 %rs9, %rs1, %rs2;\n    add.u16 %rs9, %rs3, %rs4;\n    add.u32 %r9, %r5, "
        "%r6;\n";
    const Kernel members(
        "    ld.shared.u32 %r5, [%r1];\n    ld.shared.u32 %r6, [%r1+4];\n"
        "    ld.shared.v2.u16 {%rs1, %rs2}, [%r1+8];\n",
        used);
    EXPECT_EQ(*members[0], (Pieces{{0, 16}}));
    EXPECT_EQ(*members[1], Pieces{});
    EXPECT_EQ(*members[2], Pieces{});
    const Kernel bytes(
        "    ld.shared.v4.u8 {%rs1, %rs2, %rs3, %rs4}, [%r1];\n"
        "    ld.shared.u32 %r5, [%r1+4];\n",
        used);
    EXPECT_EQ(*bytes[0], (Pieces{{0, 8}}));
    EXPECT_EQ(*bytes[1], Pieces{});
    const Kernel half(
        "    ld.shared.v2.u16 {%rs1, %rs2}, [%r1];\n"
        "    ld.shared.u16 %rs3, [%r1+4];\n",
        used);
    EXPECT_EQ(*half[0], (Pieces{{0, 4}}));
    EXPECT_EQ(*half[1], (Pieces{{0, 2}}));
    const Kernel stores(
        "    st.shared.u32 [%r1], %r5;\n    st.shared.u32 [%r1+4], %r6;\n"
        "    st.shared.v4.u8 [%r1+8], {%rs1, %rs2, %rs3, %rs4};\n");
    EXPECT_EQ(*stores[0], (Pieces{{0, 8}, {8, 4}}));
    EXPECT_EQ(*stores[2], Pieces{});
}

// A pointer that begins 8 bytes behind a multiple of 16 and moves by 16: LDS.64 R6, [UR5+-0x8]; LDS.64 R4, [UR5]
TEST(IssuedAccesses, WhereWaysMeetOnlyTheAlignmentIsKnown) {
    const Kernel loop("    add.s32 %r4, %r1, 8;\nLOOP:\n" + loads({-8, -4, 0, 4}, "%r4") +
                          "    add.s32 %r4, %r4, 16;\n    setp.lt.u32 %p1, %r4, 4096;\n"
                          "    @%p1 bra LOOP;\n",
                      "    add.f32 %f0, %f0, %f1;\n    add.f32 %f2, %f2, %f3;\n");
    EXPECT_EQ(*loop[1], (Pieces{{0, 8}}));
    EXPECT_EQ(*loop[2], Pieces{});
    EXPECT_EQ(*loop[3], (Pieces{{0, 8}}));
    EXPECT_EQ(*loop[4], Pieces{});
}

// LDS.128 [R12], LDS.128 [R12+0x10]
TEST(IssuedAccesses, NeighbouringSharedLoadsBecomeOne) {
    const Kernel kernel(loads({0, 4, 8, 12, 16, 20, 24, 28}), sum_of(8));
    expect(kernel[0], {{0, 16}});
    for (const std::uint32_t i : {1u, 2u, 3u, 5u, 6u, 7u}) expect(kernel[i], {});
    expect(kernel[4], {{0, 16}});
}

// LDS.128 [R6]; LDS.128 [R6], LDS [R6+0x10]; LDS.128 [R4], LDS.64 [R4+0x10]; LDS, LDS (an 8-byte boundary)
TEST(IssuedAccesses, ThreeWordsOfFourTakeOneAccessAndTwoAreNotAlwaysTogether) {
    expect(Kernel(loads({0, 4, 8}), sum_of(3))[0], {{0, 16}});
    const Kernel off_by_one(loads({4, 8, 12, 16}), sum_of(4));
    expect(off_by_one[0], {{-4, 16}});
    expect(off_by_one[3], {{0, 4}});
    const Kernel six(loads({0, 4, 8, 12, 16, 20}), sum_of(6));
    expect(six[4], {{0, 8}});
    const Kernel middle(loads({4, 8}), sum_of(2));
    expect(middle[0], {{0, 4}, {4, 4}});
    expect(middle[1], {});
}

// A char array of 3 before it: LDS [R7], LDS [R7+0x4].
TEST(IssuedAccesses, AlignmentMustFollowFromTheCode) {
    expect(Kernel(loads({0, 4}, "%r2"), sum_of(2))[0], {{0, 4}, {4, 4}});
    EXPECT_EQ(Kernel(loads({0, 4}, "%r3"), sum_of(2))[0], nullptr);
}

// STS.128; for three words of four STS.64 and STS.
TEST(IssuedAccesses, StoresNeedEveryWord) {
    const std::string three =
        "    st.shared.f32 [%r1], %f1;\n    st.shared.f32 [%r1+4], %f2;\n    st.shared.f32 "
        "[%r1+8], %f3;\n";
    expect(Kernel(three + "    st.shared.f32 [%r1+12], %f4;\n")[0], {{0, 16}});
    expect(Kernel(three)[0], {{0, 8}, {8, 4}});
    const Kernel between(
        "    st.shared.f32 [%r1], %f1;\n    ld.shared.f32 %f3, [%r3];\n"
        "    st.shared.f32 [%r1+4], %f2;\n",
        "    add.f32 %f39, %f39, %f3;\n");
    expect(between[0], {{0, 4}});
}

// LDG.E, LDG.E +0xc; LDG.E.64 +0x8; LDG.E.128 for three.
TEST(IssuedAccesses, VectorLoadsLoadWhatIsUsed) {
    const std::string load = "    ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1];\n";
    const auto using_registers = [&](const std::vector<int>& used) {
        std::string text;
        for (const int i : used) text += "    add.f32 %f39, %f39, %f" + std::to_string(i) + ";\n";
        return Kernel(load, text);
    };
    expect(using_registers({0, 3})[0], {{0, 4}, {12, 4}});
    expect(using_registers({2, 3})[0], {{8, 8}});
    expect(using_registers({1, 2})[0], {{4, 4}, {8, 4}});
    expect(using_registers({0, 1, 3})[0], {{0, 16}});
    expect(using_registers({2})[0], {{8, 4}});
    EXPECT_EQ(using_registers({0, 1, 2, 3})[0], nullptr);
}

// __ballot_sync between two loads of p[i]: one LDG. __syncwarp, __syncthreads or a store between: two.
TEST(IssuedAccesses, LoadsThatAreStillGoodAreLeftOut) {
    const auto second = [](const std::string& between) {
        return Kernel("    ld.global.u32 %r4, [%rd1];\n" + between +
                      "    ld.global.u32 %r5, [%rd1];\n");
    };
    expect(second("    vote.sync.ballot.b32 %r6, %p1, -1;\n")[2], {});
    EXPECT_EQ(second("    bar.warp.sync -1;\n")[2], nullptr);
    EXPECT_EQ(second("    bar.sync 0;\n")[2], nullptr);
    EXPECT_EQ(second("    st.global.u32 [%rd1+4], %r4;\n")[2], nullptr);
    expect(second("    st.shared.u32 [%r3], %r4;\n")[2], {});
    EXPECT_EQ(second("    add.s64 %rd1, %rd1, 4;\n")[2], nullptr);
}

// operations[which](a, b): LDG.E.CONSTANT R10, not .64
TEST(IssuedAccesses, AddressesOfFunctionsAreLoadedInFourBytes) {
    const Kernel kernel(R"(    ld.global.u64 %rd2, [%rd1];
    prototype: .callprototype _ ();
    call %rd2, prototype;
    ld.global.u64 %rd3, [%rd1+8];
    add.s64 %rd4, %rd3, 1;
)");
    expect(kernel[0], {{0, 4}});
    EXPECT_EQ(kernel[2], nullptr);
}

// REDUX and a REDG of one lane for *p, REDG of all lanes for p[threadIdx.x].
TEST(IssuedAccesses, AtomicsOnOneAddressAreForOneLane) {
    const auto one_lane = [](const std::string& text, bool is_result_read = false) {
        return Kernel("    " + text + ";\n").is_for_one_lane(0, is_result_read);
    };
    EXPECT_TRUE(one_lane("red.global.add.u32 [%rd1], %r30"));
    EXPECT_TRUE(one_lane("red.global.max.s32 [%rd1], %r30"));
    EXPECT_TRUE(one_lane("red.global.add.u64 [%rd1], 1"));
    EXPECT_TRUE(one_lane("atom.global.add.u32 %r4, [%rd1], 1", true));
    EXPECT_FALSE(one_lane("red.global.add.f32 [%rd1], %f1"));
    EXPECT_FALSE(one_lane("red.global.inc.u32 [%rd1], %r30"));
    EXPECT_FALSE(one_lane("atom.global.max.s32 %r4, [%rd1], %r30", true));
    EXPECT_FALSE(one_lane("red.shared.add.u32 [%r3], %r30"));
}

// A loop leaves lanes with different numbers of rounds: REDG.ADD.64 of every lane.
TEST(IssuedAccesses, WhatLanesCountApartIsNotTheSameInAll) {
    const auto one_lane = [](const std::string& condition) {
        return Kernel(
                   "    mov.u64 %rd2, 0;\n    mov.u32 %r20, 0;\nLOOP:\n"
                   "    add.s32 %r20, %r20, 1;\n    add.s64 %rd2, %rd2, 1;\n    setp.lt.s32 %p1, "
                   "%r20, " +
                   condition + ";\n    @%p1 bra LOOP;\n    red.global.add.u64 [%rd1], %rd2;\n")
            .is_for_one_lane(6, false);
    };
    EXPECT_FALSE(one_lane("%r30"));
    EXPECT_TRUE(one_lane("9"));
}

using Kind = emulator::ptx::MachineAccessKind;

// A loop that is unrolled: LDS.128 [UR4], LDS [UR4+0x8], twice.
TEST(IssuedAccesses, LoadsThatTheMachineCodeHasApartAreApart) {
    const std::string body =
        "    ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r1];\n    ld.shared.f32 %f5, [%r1+8];\n";
    const std::string used = "    add.f32 %f39, %f1, %f2;\n    add.f32 %f39, %f4, %f5;\n";
    const Kernel apart(
        body, used,
        {{0, Kind::load, 16}, {0, Kind::load, 16}, {1, Kind::load, 4}, {1, Kind::load, 4}});
    EXPECT_EQ(apart[0], nullptr);
    EXPECT_EQ(apart[1], nullptr);
    const Kernel joined(body, used, {{0, Kind::load, 16}});
    expect(joined[0], {{0, 16}});
    expect(joined[1], {});
}

// LDG.E R13, [R20+0x4] of a 64-bit word of which the upper half is used.
TEST(IssuedAccesses, LoadsThatTheMachineCodeNarrowsAreNarrow) {
    const std::string body = "    ld.global.u64 %rd2, [%rd1];\n";
    const std::string used = "    shr.u64 %rd3, %rd2, 63;\n    st.global.u64 [%rd1], %rd3;\n";
    expect(Kernel(body, used, {{0, Kind::load, 4}})[0], {{0, 4}});
    EXPECT_EQ(Kernel(body, used, {{0, Kind::load, 8}})[0], nullptr);
}

// LDG.E.64 R18, [R14+0x8]; LDG.E.64 R4, [R14+0x10]; LDG.E.64 R2, [R14]
TEST(IssuedAccesses, LoadsOfNeighbouringMembersAreOneWhereTheMachineCodeHasOne) {
    const std::string body = R"(    ld.global.f64 %rd2, [%rd1];
    ld.global.u32 %r10, [%rd1+8];
    ld.global.v2.u16 {%rs1, %rs2}, [%rd1+12];
    ld.global.f32 %f1, [%rd1+20];
    ld.global.v4.u8 {%rs3, %rs4, %rs5, %rs6}, [%rd1+16];
)";
    using emulator::ptx::MachineAccessKind;
    const Kernel kernel(body, "",
                        {{0, MachineAccessKind::load, 8},
                         {1, MachineAccessKind::load, 8},
                         {3, MachineAccessKind::load, 8}});
    EXPECT_EQ(kernel[0], nullptr);
    expect(kernel[1], {{0, 8}});
    expect(kernel[2], {});
    expect(kernel[3], {{-4, 8}});
    expect(kernel[4], {});
    // As written: then each is in the machine code.
    const Kernel apart(body, "",
                       {{0, MachineAccessKind::load, 8},
                        {1, MachineAccessKind::load, 4},
                        {2, MachineAccessKind::load, 4},
                        {3, MachineAccessKind::load, 4},
                        {4, MachineAccessKind::load, 4}});
    EXPECT_EQ(apart[1], nullptr);
    EXPECT_EQ(apart[3], nullptr);
}

// A structure {double; int} that is copied whole. STG.E.64 [R6], R4; STG.E.64 [R6+0x8], R10
TEST(IssuedAccesses, APaddingIsStoredWithTheMemberBeforeItWhereTheMachineCodeDoesSo) {
    const std::string body = R"(    st.global.f64 [%rd1], %rd2;
    st.global.u32 [%rd1+8], %r10;
    st.global.v4.u8 [%rd1+12], {%rs1, %rs2, %rs3, %rs4};
)";
    using emulator::ptx::MachineAccessKind;
    const Kernel kernel(body, "",
                        {{0, MachineAccessKind::store, 8}, {1, MachineAccessKind::store, 8}});
    EXPECT_EQ(kernel[0], nullptr);
    expect(kernel[1], {{0, 8}});
    expect(kernel[2], {});
    // The line of the other one: what is stored begins before it.
    const Kernel at_last(body, "",
                         {{0, MachineAccessKind::store, 8}, {2, MachineAccessKind::store, 8}});
    expect(at_last[1], {});
    expect(at_last[2], {{-4, 8}});
    // As written: then each is in the machine code.
    const Kernel apart(body, "",
                       {{0, MachineAccessKind::store, 8},
                        {1, MachineAccessKind::store, 4},
                        {2, MachineAccessKind::store, 4}});
    EXPECT_EQ(apart[1], nullptr);
    EXPECT_EQ(apart[2], nullptr);
}

// Not with a store between them.
TEST(IssuedAccesses, LoadsAreNotOneAcrossAStore) {
    using emulator::ptx::MachineAccessKind;
    const Kernel kernel(R"(    ld.global.u32 %r10, [%rd1+8];
    st.global.u32 [%rd1+12], %r10;
    ld.global.u32 %r11, [%rd1+12];
)",
                        "", {{0, MachineAccessKind::load, 8}});
    EXPECT_EQ(kernel[0], nullptr);
    EXPECT_EQ(kernel[2], nullptr);
}

// LDG.E R6, [R2] once: one side of a branch uses it again.
TEST(IssuedAccesses, ALoadAgainThatTheMachineCodeLacksIsLeftOut) {
    using emulator::ptx::MachineAccessKind;
    const std::string body = R"(    ld.global.u32 %r10, [%rd1];
    setp.eq.s32 %p1, %r10, 0;
    @%p1 bra MEETING;
    add.s32 %r11, %r10, 1;
MEETING:
    setp.eq.s32 %p2, %r3, 0;
    @%p2 bra END;
    ld.global.u32 %r12, [%rd1];
END:
)";
    expect(Kernel(body, "", {{0, MachineAccessKind::load, 4}})[6], {});
    EXPECT_EQ(
        Kernel(body, "", {{0, MachineAccessKind::load, 4}, {7, MachineAccessKind::load, 4}})[6],
        nullptr);
}

// LDS.128 R4, [R2]: behind a branch the address is computed again.
TEST(IssuedAccesses, ALoadBringsWhatAnotherBlockLoads) {
    const std::string body = R"(    ld.shared.u32 %r10, [%r1];
    @%p1 bra END;
    mov.u32 %r20, %tid.x;
    shl.b32 %r21, %r20, 5;
    mov.u32 %r22, tile;
    add.s32 %r23, %r22, %r21;
    add.s32 %r24, %r23, 8;
    ld.shared.u32 %r11, [%r23+4];
    ld.shared.v2.u32 {%r12, %r13}, [%r24];
    st.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};
END:
)";
    const Kernel kernel(body, "", {{0, Kind::load, 16}});
    expect(kernel[0], {{0, 16}});
    expect(kernel[7], {});
    expect(kernel[8], {});
    // Only as far as it is wide enough.
    const Kernel narrow(body, "", {{0, Kind::load, 8}});
    expect(narrow[0], {{0, 8}});
    expect(narrow[7], {});
    EXPECT_TRUE(narrow[8] == nullptr || !narrow[8]->empty());
    // Of an address that is not known to be near, nothing.
    const std::string near = "    add.s32 %r24, %r23, 8;\n";
    std::string apart = body;
    apart.replace(apart.find(near), near.size(), "    add.s32 %r24, %r23, %r20;\n");
    const Kernel elsewhere(apart, "", {{0, Kind::load, 16}});
    EXPECT_TRUE(elsewhere[8] == nullptr || !elsewhere[8]->empty());
}

// LDG.E.64 R18, [R14+0x8] and LDG.E.64 R4, [R14+0x10]: none at 12.
TEST(IssuedAccesses, WideLoadsAreTakenToBeAligned) {
    const Kernel kernel(R"(    ld.global.u32 %r10, [%rd1+8];
    ld.global.u32 %r11, [%rd1+12];
    ld.global.u32 %r12, [%rd1+16];
    ld.global.u32 %r13, [%rd1+20];
    st.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};
)",
                        "", {{0, Kind::load, 8}, {2, Kind::load, 8}});
    expect(kernel[0], {{0, 8}});
    expect(kernel[1], {});
    expect(kernel[2], {{0, 8}});
    expect(kernel[3], {});
}

// LDS R0, [R4] on both sides of a division: a load again that the machine code has.
TEST(IssuedAccesses, ALoadAgainThatTheMachineCodeHasStays) {
    const std::string body = R"(    ld.shared.u32 %r10, [%r3];
    @%p1 bra END;
    ld.shared.u32 %r11, [%r3];
    st.global.v2.u32 [%rd1], {%r10, %r11};
END:
)";
    const Kernel both(body, "", {{0, Kind::load, 4}, {2, Kind::load, 4}});
    EXPECT_TRUE(both[2] == nullptr || !both[2]->empty());
    expect(Kernel(body, "", {{0, Kind::load, 4}})[2], {});
}

// STS.64 [R6+0x400], R8: two variables, one behind the other (here 4096 bytes and a word apart: tile, odd).
TEST(IssuedAccesses, StoresToTwoVariablesAreOneWhereTheMachineCodeHasOne) {
    const std::string body = R"(    st.shared.u32 [tile+4096], %r4;
    ld.global.u32 %r10, [%rd1];
    st.shared.u32 [odd], %r10;
)";
    const Kernel one(body, "", {{1, Kind::load, 4}, {2, Kind::store, 8}});
    expect(one[0], {{0, 8}});
    expect(one[2], {});
    const Kernel two(body, "", {{0, Kind::store, 4}, {1, Kind::load, 4}, {2, Kind::store, 4}});
    EXPECT_TRUE(two[2] == nullptr || !two[2]->empty());
}

}  // namespace
