// Loads that ptxas moves behind a branch: each expectation is what ptxas 13.0 made of such code for sm_90.
#include "emulator/ptxas/accesses/load_sinking.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace emulator::ptx {
namespace {

using Kind = MachineAccessKind;

constexpr std::uint32_t first_line = 8;  // of the body

// What stands where, after the loads have moved: "ld", "bra", ...
std::vector<std::string> sunk(const std::string& body, const std::vector<MachineAccess>& code) {
    Module module = parse(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<9>;
    ld.param.u64 %rd1, [p];
)" + body + "    ret;\n}\n");
    sink_loads(module.functions[0], code);
    std::vector<std::string> result;
    for (const Instruction& each : module.functions[0].instructions) {
        if (each.modifiers.empty() || each.modifiers[0] != "param") result.push_back(each.opcode);
    }
    return result;
}
using Outline = std::vector<std::string>;

MachineAccess load(std::uint32_t line, std::uint32_t place) {
    return {line, Kind::load, 4, false, place};
}
MachineAccess jump(std::uint32_t line, std::uint32_t place) {
    return {line, Kind::jump, 4, true, place};
}

const std::string one_side = R"(    ld.global.u32 %r1, [%rd1];
    add.s32 %r2, %r1, 1;
    @%p1 bra END;
    st.global.u32 [%rd1+4], %r2;
END:
)";

TEST(SunkLoads, GoWithWhatIsComputedOfThemToTheSideThatTakesIt) {
    // @P0 EXIT; LDG R3, [R2]; IADD3; STG
    EXPECT_EQ(sunk(one_side, {load(first_line, 5), jump(first_line + 2, 3)}),
              (Outline{"bra", "ld", "add", "st", "ret"}));
}

TEST(SunkLoads, StayWhereTheMachineCodeHasThemBeforeTheBranch) {
    const Outline as_written = {"ld", "add", "bra", "st", "ret"};
    EXPECT_EQ(sunk(one_side, {load(first_line, 3), jump(first_line + 2, 5)}), as_written);
    EXPECT_EQ(sunk(one_side, {load(first_line, 5)}), as_written);
    EXPECT_EQ(sunk(one_side, {jump(first_line + 2, 3)}), as_written);
}

TEST(SunkLoads, StayWhereBothSidesTakeThem) {
    const std::string both = one_side + "    st.global.u32 [%rd1+8], %r1;\n";
    EXPECT_EQ(sunk(both, {load(first_line, 5), jump(first_line + 2, 3)}),
              (Outline{"ld", "add", "bra", "st", "st", "ret"}));
}

TEST(SunkLoads, StayInFrontOfWhatWrites) {
    const std::string body = R"(    ld.global.u32 %r1, [%rd1];
    st.global.u32 [%rd1+8], %r3;
    @%p1 bra END;
    st.global.u32 [%rd1+4], %r1;
END:
)";
    EXPECT_EQ(sunk(body, {load(first_line, 5), jump(first_line + 2, 3)}),
              (Outline{"ld", "st", "bra", "st", "ret"}));
}

TEST(SunkLoads, StayWhereTheBranchDependsOnThem) {
    const std::string body = R"(    ld.global.u32 %r1, [%rd1];
    setp.eq.s32 %p1, %r1, 0;
    @%p1 bra END;
    st.global.u32 [%rd1+4], %r1;
END:
)";
    EXPECT_EQ(sunk(body, {load(first_line, 5), jump(first_line + 2, 3)}),
              (Outline{"ld", "setp", "bra", "st", "ret"}));
}

TEST(SunkLoads, GoBehindSeveralBranches) {
    const std::string body = R"(    ld.global.u32 %r1, [%rd1];
    @%p1 bra END;
    @%p2 bra END;
    st.global.u32 [%rd1+4], %r1;
END:
)";
    EXPECT_EQ(sunk(body, {load(first_line, 5), jump(first_line + 1, 2), jump(first_line + 2, 3)}),
              (Outline{"bra", "bra", "ld", "st", "ret"}));
}

}  // namespace
}  // namespace emulator::ptx
