// The basic blocks of machine code, of cubins that the installed ptxas makes.
#include "emulator/ptx/code/machine_flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "emulator/ptx/code/machine_text.hpp"
#include "emulator/ptx/code/resource_usage.hpp"
#include "emulator/ptx/image/elf.hpp"

namespace emulator::ptx {
namespace {

// A loop that stores once a round, on line 14, and ends on line 17; then BODY.
std::string text_with(const std::string& body) {
    return R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
    .reg .pred %p<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r3, [n];
    mov.u32 %r1, %tid.x;
    setp.ge.s32 %p1, %r1, %r3;
    @%p1 bra DONE;
LOOP:
    mul.wide.s32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
    st.volatile.global.u32 [%rd3], %r1;
    add.s32 %r1, %r1, %r3;
    shl.b32 %r1, %r1, 1; setp.lt.s32 %p2, %r1, %r3;
    @%p2 bra LOOP;
DONE:
)" + body + "    ret;\n}\n";
}
constexpr std::uint32_t store_line = 14, branch_line = 17;

class OfGpu : public ::testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (find_ptxas().empty()) GTEST_SKIP() << "no ptxas is installed";
        std::string name = ::testing::TempDir() + "machine_flow_XXXXXX";
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        cache_ = name;
        setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
    }
    void TearDown() override { std::filesystem::remove_all(cache_); }
    static std::vector<MachineBlock> blocks_of(const std::string& text) {
        const auto compiled = compile(text, GetParam(), "", CodeParts::with_flow);
        // Read again, from the cache.
        EXPECT_EQ(compile(text, GetParam(), "", CodeParts::with_flow), compiled);
        EXPECT_TRUE(compiled.has_value());
        return compiled ? compiled->flow.at("k") : std::vector<MachineBlock>();
    }

  private:
    std::filesystem::path cache_;
};

bool has(const MachineBlock& block, std::uint32_t line, std::uint16_t operation) {
    return std::ranges::any_of(block.instructions, [&](const MachineInstruction& each) {
        return each.line == line && each.operation == operation;
    });
}

bool has(const std::vector<MachineBlock>& blocks, std::uint16_t operation) {
    return std::ranges::any_of(blocks, [&](const MachineBlock& block) {
        return std::ranges::count(block.instructions, operation, &MachineInstruction::operation);
    });
}

TEST_P(OfGpu, ALoopLeadsBackToItsStore) {
    constexpr std::uint16_t stg = 0x186;
    const std::vector<MachineBlock> blocks = blocks_of(text_with(""));
    ASSERT_FALSE(blocks.empty());
    EXPECT_TRUE(blocks[0].is_entry);
    unsigned loops = 0;
    for (const MachineBlock& block : blocks) {
        if (!has(block, branch_line, machine_bra)) continue;
        ++loops;
        EXPECT_TRUE(block.is_conditional);
        ASSERT_LT(block.target, blocks.size());
        EXPECT_TRUE(has(blocks[block.target], store_line, stg));
        EXPECT_LT(block.next, blocks.size());
    }
    EXPECT_EQ(loops, 1u);
    EXPECT_TRUE(blocks.back().may_leave);
    EXPECT_FALSE(blocks.back().is_conditional);
    EXPECT_EQ(blocks.back().next, no_machine_block);
    EXPECT_FALSE(has(blocks, machine_nop)) << "padding";
}

// Quotients of numbers that are out of the usual range are computed by a subroutine.
TEST_P(OfGpu, SubroutinesForRareCasesAreTheirCallersInstructions) {
    const std::string quotient =
        "    cvt.rn.f32.s32 %f1, %r1; cvt.rn.f32.s32 %f2, %r3;\n"
        "    div.rn.f32 %f3, %f1, %f2;\n    st.global.f32 [%rd1], %f3;\n";
    const std::vector<MachineBlock> blocks = blocks_of(text_with(quotient));
    EXPECT_TRUE(has(blocks, 0x102)) << "FCHK";
    EXPECT_FALSE(has(blocks, machine_ret));
    unsigned calls = 0;
    for (const MachineBlock& block : blocks) {
        EXPECT_EQ(block.called != 0, block.instructions.back().operation == machine_call);
        // A third of about a hundred.
        if (block.called != 0) EXPECT_NEAR(block.called, 34, 4);
        calls += block.called != 0;
    }
    EXPECT_EQ(calls, 1u);
}

// Each block but the entry is one that another leads to.
TEST_P(OfGpu, NothingIsLeftThatNoWayLeadsTo) {
    const std::vector<MachineBlock> blocks = blocks_of(text_with(""));
    std::vector<bool> is_reached(blocks.size());
    for (const MachineBlock& block : blocks) {
        for (const std::uint32_t other : {block.next, block.target}) {
            if (other != no_machine_block) is_reached[other] = true;
        }
    }
    for (std::size_t i = 1; i < blocks.size(); ++i) EXPECT_TRUE(is_reached[i]) << i;
}

INSTANTIATE_TEST_SUITE_P(MachineFlow, OfGpu,
                         ::testing::Values("sm_75", "sm_80", "sm_90", "sm_100", "sm_120"));

TEST(MachineFlow, OfDamagedCubins) {
    EXPECT_THROW(read_machine_flow({}, 90), FatbinError);
    const std::string text =
        "\x7f"
        "ELF and no more";
    EXPECT_THROW(read_machine_flow(std::as_bytes(std::span(text)), 90), FatbinError);
}

}  // namespace
}  // namespace emulator::ptx
