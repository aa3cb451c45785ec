// Loops that ptxas unrolls whole. What the machine code has is written down as ptxas 13.0 makes it for sm_90.
#include "emulator/ptxas/accesses/full_unrolling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "emulator/ptxas/accesses/issued_accesses.hpp"

namespace emulator::ptx {
namespace {

constexpr std::uint32_t load_line = 17;

// Eight rounds, each of which loads the next float of a thread's 64 bytes:
//
//     LDS.128 R4, [R0] ;
//     LDS.128 R8, [R0+0x10] ;
//     FFMA R4, RZ, R4, R4 ;
//     ...                          seven more, and no BRA
std::string kernel(const std::string& rounds = "8") {
    return R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;
    .shared .align 16 .b8 s[4096];
    ld.param.u64 %rd1, [p];
    mov.u32 %r4, %tid.x;
    mov.u32 %r6, s;
    mad.lo.s32 %r5, %r4, 64, %r6;
    mov.f32 %f2, 0f00000000;
    mov.u32 %r1, 0;
LOOP:
    shl.b32 %r2, %r1, 2;
    add.s32 %r3, %r5, %r2;
    ld.shared.f32 %f1, [%r3];
    fma.rn.f32 %f2, %f1, %f2, %f1;
    add.s32 %r1, %r1, 1;
    setp.ne.s32 %p1, %r1, )" +
           rounds + R"(;
    @%p1 bra LOOP;
    st.global.f32 [%rd1], %f2;
    ret;
}
)";
}
const std::vector<MachineAccess> two_loads(2, {load_line, MachineAccessKind::load, 16});

Function unrolled(const std::string& text, std::vector<MachineAccess> code) {
    Module module = parse(text);
    module.machine_code["k"] = std::move(code);
    unroll_whole_loops(module);
    return module.functions[0];
}

std::vector<std::uint32_t> loads_of(const Function& function) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
        const Instruction& instruction = function.instructions[i];
        if (instruction.opcode == "ld" && instruction.modifiers[0] == "shared") found.push_back(i);
    }
    return found;
}

TEST(WholeLoops, AddressesAreOffsetsFromTheFirstRounds) {
    const Function function = unrolled(kernel(), two_loads);
    std::vector<std::int64_t> offsets;
    std::set<std::uint32_t> bases;
    for (const std::uint32_t at : loads_of(function)) {
        const Operand& address = function.instructions[at].operands[1];
        offsets.push_back(address.offset);
        bases.insert(address.elements[0].index);
    }
    EXPECT_EQ(offsets, (std::vector<std::int64_t>{0, 4, 8, 12, 16, 20, 24, 28}));
    EXPECT_EQ(bases.size(), 1u);
    EXPECT_EQ(std::ranges::count(function.instructions, "bra", &Instruction::opcode), 0);
    EXPECT_EQ(std::ranges::count(function.instructions, "fma", &Instruction::opcode), 8);
}

TEST(WholeLoops, RoundsShareAccesses) {
    const Function function = unrolled(kernel(), two_loads);
    const IssuedAccesses issued(
        function, analyse_control_flow(function), [](const std::string&) { return 0; }, &two_loads);
    std::vector<IssuedPiece> pieces;
    for (const std::uint32_t at : loads_of(function)) {
        const auto* const of_load = issued.of(at);
        ASSERT_NE(of_load, nullptr);
        pieces.insert(pieces.end(), of_load->begin(), of_load->end());
    }
    EXPECT_EQ(pieces, (std::vector<IssuedPiece>{{0, 16}, {0, 16}}));
}

TEST(WholeLoops, OnlyAsTheMachineCodeShows) {
    const auto rounds = [](const std::string& text, std::vector<MachineAccess> code) {
        return loads_of(unrolled(text, std::move(code))).size();
    };
    EXPECT_EQ(rounds(kernel(), two_loads), 8u);
    EXPECT_EQ(rounds(kernel(), {}), 1u);
    // One load; and each round's own: nothing is joined.
    EXPECT_EQ(rounds(kernel(), {{load_line, MachineAccessKind::load, 4}}), 1u);
    EXPECT_EQ(
        rounds(kernel(), std::vector<MachineAccess>(8, {load_line, MachineAccessKind::load, 4})),
        1u);
    // A branch back, of the test's line: it is unrolled in part.
    auto with_branch = two_loads;
    with_branch.push_back({load_line + 3, MachineAccessKind::jump});
    EXPECT_EQ(rounds(kernel(), with_branch), 1u);
    // Rounds that only the launch knows, and too many.
    EXPECT_EQ(rounds(kernel("%r4"), two_loads), 1u);
    EXPECT_EQ(rounds(kernel("1000"), two_loads), 1u);
    // A second way in.
    std::string entered = kernel();
    entered.replace(entered.find("    mov.u32 %r1, 0;"), 0, "    @%p2 bra MIDDLE;\n");
    entered.replace(entered.find("    add.s32 %r1"), 0, "MIDDLE:\n");
    auto later = two_loads;
    for (MachineAccess& access : later) ++access.line;
    EXPECT_EQ(rounds(entered, later), 1u);
}

// A pointer that is moved by a constant, loaded from before it is and behind.
TEST(WholeLoops, PointersThatTheLoopMoves) {
    std::string text = kernel();
    text.replace(text.find("[%r3]"), 5, "[%r5]");
    text.replace(text.find("    add.s32 %r1"), 0,
                 "    add.s32 %r5, %r5, 4; ld.shared.f32 %f3, [%r5];\n");
    const Function function = unrolled(text, two_loads);
    const auto loads = loads_of(function);
    ASSERT_EQ(loads.size(), 16u);
    const auto address = [&](std::size_t i) { return function.instructions[loads[i]].operands[1]; };
    for (std::size_t round = 0; round < 8; ++round) {
        for (const std::size_t which : {0, 1}) {
            EXPECT_EQ(address(2 * round + which).offset, 4 * static_cast<std::int64_t>(round));
            EXPECT_EQ(address(2 * round + which).elements[0].index,
                      address(which).elements[0].index);
        }
    }
    EXPECT_NE(address(0).elements[0].index, address(1).elements[0].index);
}

// A pointer that is loaded, and one that is written twice: their own in each round.
TEST(WholeLoops, OtherPointersStay) {
    std::string text = kernel();
    text.replace(text.find("    add.s32 %r1"), 0,
                 "    ld.shared.u32 %r7, [%r7]; ld.shared.f32 %f3, [%r7];\n");
    const Function function = unrolled(text, two_loads);
    const auto loads = loads_of(function);
    ASSERT_EQ(loads.size(), 24u);
    for (std::size_t i = 0; i < loads.size(); ++i) {
        if (i % 3 == 0) continue;
        const Operand& address = function.instructions[loads[i]].operands[1];
        EXPECT_EQ(function.registers[address.elements[0].index].name, "%r7") << i;
        EXPECT_EQ(address.offset, 0) << i;
    }
}

}  // namespace
}  // namespace emulator::ptx
