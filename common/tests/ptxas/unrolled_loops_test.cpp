// Loops that ptxas unrolls. What the machine code has is written down as ptxas 13.0 makes it for sm_90.
#include "emulator/ptxas/accesses/unrolled_loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "emulator/ptx/code/resource_usage.hpp"
#include "emulator/ptx/image/line_table.hpp"

namespace emulator::ptx {
namespace {

// do { %r2 = *%rd1; BODY } while (TEST): the load is on line 11.
std::string kernel(const std::string& body, const std::string& test) {
    return R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
    .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r3, [n];
    mov.u32 %r1, %tid.x;
LOOP:
    ld.global.u32 %r2, [%rd1];
    st.global.u32 [%rd1+4], %r2;
)" + body + test +
           "    @%p1 bra LOOP;\n    ret;\n}\n";
}
const std::string up = "    add.s32 %r1, %r1, 4;\n";
const std::string below = "    setp.lt.s32 %p1, %r1, %r3;\n";

constexpr std::uint32_t load_line = 11;

// Each memory instruction has `copies` copies.
std::vector<MachineAccess> code_with(unsigned copies) {
    std::vector<MachineAccess> code(copies, {load_line, MachineAccessKind::load, 4});
    code.insert(code.end(), copies, {load_line + 1, MachineAccessKind::store, 4});
    return code;
}

std::size_t loads_of(const std::string& text, std::vector<MachineAccess> code) {
    Module module = parse(text);
    module.machine_code["k"] = std::move(code);
    unroll_loops(module);
    const auto& instructions = module.functions[0].instructions;
    return static_cast<std::size_t>(std::ranges::count_if(instructions, [](const auto& each) {
        return each.opcode == "ld" && each.modifiers[0] == "global";
    }));
}

TEST(UnrolledLoops, AsOftenAsTheMachineCodeHasThem) {
    const std::string text = kernel(up, below);
    EXPECT_EQ(loads_of(text, code_with(1)), 1u);
    EXPECT_EQ(loads_of(text, code_with(3)), 3u);
    EXPECT_EQ(loads_of(text, code_with(4)), 1u);  // without a remainder: lanes do not part
    EXPECT_EQ(loads_of(text, code_with(7)), 7u);
    EXPECT_EQ(loads_of(text, code_with(15)), 15u);
    EXPECT_EQ(loads_of(text, {}), 1u);
}

TEST(UnrolledLoops, OnlyWhereRoundsCanBeCounted) {
    const auto code = code_with(7);
    EXPECT_EQ(
        loads_of(kernel("    add.s32 %r1, %r1, -1;\n", "    setp.ne.s32 %p1, %r1, 0;\n"), code),
        7u);
    EXPECT_EQ(loads_of(kernel("    add.s32 %r1, %r1, -1;\n", below), code), 1u);   // wraps around
    EXPECT_EQ(loads_of(kernel("    add.s32 %r1, %r1, %r2;\n", below), code), 1u);  // by no constant
    EXPECT_EQ(loads_of(kernel(up + "    add.s32 %r3, %r3, 1;\n", below), code), 1u);  // bound moves
    EXPECT_EQ(loads_of(kernel(up + up, below), code), 1u);
}

TEST(UnrolledLoops, OfOneLoopAlone) {
    // A branch out, a call, and a way into the middle: left as they are.
    const auto code = code_with(7);
    std::string leaves = kernel(up + "    setp.eq.s32 %p2, %r2, 0;\n    @%p2 bra OUT;\n", below);
    leaves.replace(leaves.find("    ret;"), 0, "OUT:\n");
    EXPECT_EQ(loads_of(leaves, code), 1u);
    std::string returns = kernel(up + "    setp.eq.s32 %p2, %r2, 0;\n    @%p2 ret;\n", below);
    EXPECT_EQ(loads_of(returns, code), 1u);
    std::string enters = kernel("MIDDLE:\n" + up, below);
    enters.replace(enters.find("LOOP:"), 0, "    @%p3 bra MIDDLE;\n");
    EXPECT_EQ(loads_of(enters, code), 1u);
    // A branch around part of the body goes along.
    EXPECT_EQ(loads_of(kernel("    setp.eq.s32 %p2, %r2, 0;\n    @%p2 bra SKIP;\n"
                              "    add.s32 %r2, %r2, 1;\nSKIP:\n" +
                                  up,
                              below),
                       code),
              7u);
}

// DWARF 2: rows at 0 (line 12), 32 (line 11) and 64 (line 20), the end at 80.
TEST(LineTable, RowsOfASequence) {
    std::vector<unsigned char> bytes = {
        0, 0,  0,  0,  2, 0, 16, 0, 0, 0, 1, 1, 0xfb, 14, 10, 0, 1, 1, 1,
        1, 0,  0,  0,  1, 0, 0,  0, 9, 2, 0, 0, 0,    0,  0,  0, 0, 0,  // address 0
        3, 11, 1,                                                       // line 12
        2, 31, 14,          // 31 further; then special: 0 further, a line back
        3, 9,  2,  33, 1,   // line 20, 33 further
        2, 16, 0,  1,  1};  // the end
    bytes[0] = static_cast<unsigned char>(bytes.size() - 4);
    const auto sequences = read_line_table(std::as_bytes(std::span(bytes)));
    ASSERT_EQ(sequences.size(), 1u);
    const LineSequence& lines = sequences[0];
    EXPECT_EQ(lines.address_field, 29u);
    EXPECT_EQ(lines.line_at(0), 12u);
    EXPECT_EQ(lines.line_at(30), 12u);
    EXPECT_EQ(lines.line_at(31), 11u);
    EXPECT_EQ(lines.line_at(64), 20u);
    EXPECT_EQ(lines.other_line_behind(30), 11u);
    EXPECT_EQ(lines.other_line_behind(64), 20u);
    for (std::size_t size = 1; size < bytes.size(); ++size) {
        EXPECT_THROW(read_line_table(std::as_bytes(std::span(bytes)).first(size)), std::exception);
    }
}

// By the ptxas that is installed.
TEST(MachineCode, LinesOfThePtx) {
    if (find_ptxas().empty()) GTEST_SKIP() << "there is no ptxas";
    const std::string text = kernel("    add.s64 %rd1, %rd1, 16;\n" + up, below);
    const auto hopper = compile(text, "sm_90", "");
    ASSERT_TRUE(hopper);
    std::vector<MachineAccess> accesses = hopper->code.at("k");
    std::erase_if(accesses,
                  [](const auto& each) { return each.kind >= MachineAccessKind::reconvergence; });
    for (MachineAccess& access : accesses) access.place = 0;
    EXPECT_EQ(accesses, code_with(7));
    const auto turing = compile(kernel("    st.global.u64 [%rd1+8], %rd1;\n", below), "sm_75", "");
    ASSERT_TRUE(turing);
    const auto store = std::ranges::find(turing->code.at("k"), 13u, &MachineAccess::line);
    ASSERT_NE(store, turing->code.at("k").end());
    EXPECT_EQ(*store, (MachineAccess{13, MachineAccessKind::store, 8, false, store->place}));
    EXPECT_GT(store->place, 0u);
    // @P0 BRA; of the test's line, behind the store.
    const MachineAccess jump = turing->code.at("k").back();
    EXPECT_EQ(jump.kind, MachineAccessKind::jump);
    EXPECT_GT(jump.place, store->place);
}

// BSSY in front of the branch, BSYNC where both ways lead: both load, and the store follows.
TEST(MachineCode, LanesMeetWhereTheirWaysMeet) {
    if (find_ptxas().empty()) GTEST_SKIP() << "there is no ptxas";
    std::string sides = kernel("", "");
    sides.replace(sides.find("LOOP:"), std::string::npos, R"(    setp.eq.s32 %p1, %r1, 3;
    @%p1 bra OTHER;
LOOP:
    ld.volatile.global.u32 %r2, [%rd1];
    add.s64 %rd1, %rd1, 4;
    setp.ne.s32 %p2, %r2, 0;
    @%p2 bra LOOP;
    bra.uni END;
OTHER:
    ld.volatile.global.u32 %r2, [%rd1+64];
    st.volatile.global.u32 [%rd1+128], %r1;
END:
    st.volatile.global.u32 [%rd1], %r2;
    ret;
}
)");
    constexpr std::uint32_t store_line = 22;
    const auto compilation = compile(sides, "sm_90", "");
    ASSERT_TRUE(compilation);
    std::vector<std::uint32_t> reconvergences;
    for (const MachineAccess& access : compilation->code.at("k")) {
        if (access.kind == MachineAccessKind::reconvergence) reconvergences.push_back(access.line);
    }
    ASSERT_FALSE(reconvergences.empty());
    EXPECT_EQ(reconvergences.back(), store_line);
}

}  // namespace
}  // namespace emulator::ptx
