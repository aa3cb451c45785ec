// Where warps that left a barrier wait for each other: before stores to shared memory behind loads from it.
#include "emulator/ptxas/accesses/stores_behind_loads.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace emulator::ptx {
namespace {

// The texts of the instructions that are found.
std::vector<std::string> found(const std::string& body) {
    const Module module = parse(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<9>;
)" + body + "    ret;\n}\n");
    const Function& function = module.functions[0];
    const std::vector<bool> marks = stores_behind_loads(function, analyse_control_flow(function));
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        if (marks[i]) texts.push_back(function.instructions[i].text);
    }
    return texts;
}

using Texts = std::vector<std::string>;

TEST(StoresBehindLoads, TheFirstStoreBehindALoad) {
    EXPECT_EQ(found("bar.sync 0; ld.shared.u32 %r1, [%r2]; st.shared.u32 [%r3], %r1;"
                    "st.shared.u32 [%r4], %r1;"),
              Texts{"st.shared.u32 [%r3], %r1"});
}

TEST(StoresBehindLoads, ABarrierBetweenOrdersThem) {
    EXPECT_EQ(found("ld.shared.u32 %r1, [%r2]; bar.sync 0; st.shared.u32 [%r3], %r1;"), Texts{});
    EXPECT_EQ(found("ld.shared.u32 %r1, [%r2]; barrier.sync.aligned 0; st.shared.u32 [%r3], %r1;"),
              Texts{});
}

// Warps do not wait for each other there.
TEST(StoresBehindLoads, AWarpsBarrierDoesNotOrderThem) {
    EXPECT_EQ(found("ld.shared.u32 %r1, [%r2]; bar.warp.sync -1; st.shared.u32 [%r3], %r1;").size(),
              1u);
}

TEST(StoresBehindLoads, StoresBeforeLoadsAndOtherMemoryAreNone) {
    EXPECT_EQ(found("st.shared.u32 [%r3], %r1; ld.shared.u32 %r1, [%r2];"), Texts{});
    EXPECT_EQ(found("ld.global.u32 %r1, [%rd2]; st.shared.u32 [%r3], %r1;"), Texts{});
    EXPECT_EQ(found("ld.shared.u32 %r1, [%r2]; st.global.u32 [%rd3], %r1;"), Texts{});
}

// A tile that is filled, read and filled again: the barriers of the loop are on each way.
TEST(StoresBehindLoads, ALoopWithBothBarriersHasNone) {
    EXPECT_EQ(found("$l: st.shared.u32 [%r3], %r1; bar.sync 0; ld.shared.u32 %r1, [%r2];"
                    "bar.sync 0; @%p1 bra $l;"),
              Texts{});
}

TEST(StoresBehindLoads, ALoopWithoutTheSecondBarrierHasOne) {
    EXPECT_EQ(found("$l: st.shared.u32 [%r3], %r1; bar.sync 0; ld.shared.u32 %r1, [%r2];"
                    "@%p1 bra $l;"),
              Texts{"st.shared.u32 [%r3], %r1"});
}

// On one of two ways there is a load.
TEST(StoresBehindLoads, ALoadInABranchIsEnough) {
    EXPECT_EQ(found("@%p1 bra $l; ld.shared.u32 %r1, [%r2]; $l: st.shared.u32 [%r3], %r1;").size(),
              1u);
}

// What an atomic loads, the next one may overwrite.
TEST(StoresBehindLoads, AtomicsAreBoth) {
    EXPECT_EQ(found("ld.shared.u32 %r1, [%r2]; atom.shared.add.u32 %r4, [%r2], 1;").size(), 1u);
    EXPECT_EQ(found("atom.shared.add.u32 %r4, [%r2], 1; st.shared.u32 [%r3], %r1;").size(), 1u);
    EXPECT_EQ(found("red.shared.add.u32 [%r2], 1; st.shared.u32 [%r3], %r1;"), Texts{});
}

}  // namespace
}  // namespace emulator::ptx
