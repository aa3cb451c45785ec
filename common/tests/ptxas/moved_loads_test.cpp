// Loads that ptxas moves before a branch, or guards.
#include "emulator/ptxas/accesses/moved_loads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace emulator::ptx {
namespace {

using Kind = MachineAccessKind;

const std::string head = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<9>;
    ld.param.u64 %rd1, [p];
)";
constexpr std::uint32_t first_line = 8;  // of the body

Function moved(const std::string& body, std::vector<MachineAccess> code) {
    Module module = parse(head + body + "    ret;\n}\n");
    module.machine_code["k"] = std::move(code);
    move_loads(module);
    return module.functions[0];
}

// What stands where: "ld @p3", "bra", ...
std::vector<std::string> outline(const Function& function) {
    std::vector<std::string> result;
    for (const Instruction& each : function.instructions) {
        if (each.opcode == "ret" || (!each.modifiers.empty() && each.modifiers[0] == "param"))
            continue;
        const std::string guard =
            each.guard.reg < 0
                ? ""
                : std::string(each.guard.negated ? " @!" : " @") +
                      function.registers[static_cast<std::size_t>(each.guard.reg)].name;
        result.push_back(each.opcode + guard);
    }
    return result;
}
using Outline = std::vector<std::string>;

// ptxas 13.0 for sm_90: LDG R11, [R6] in front of the branch.
const std::string both_sides = R"(    @%p1 bra ONE;
    bra.uni OTHER;
OTHER:
    ld.global.u32 %r1, [%rd1];
    ld.global.u32 %r2, [%rd1+4];
    bra.uni END;
ONE:
    ld.global.u32 %r3, [%rd1];
END:
    st.global.u32 [%rd1], %r3;
)";

TEST(MovedLoads, OfBothSidesOnce) {
    const std::vector<MachineAccess> once = {{first_line + 3, Kind::load, 4},
                                             {first_line + 4, Kind::load, 4}};
    const Function function = moved(both_sides, once);
    EXPECT_EQ(outline(function),
              (Outline{"ld", "bra @%p1", "bra", "mov", "ld", "bra", "mov", "st"}));
    for (const Label& label : function.labels) {
        const std::string& opcode = function.instructions[label.instruction].opcode;
        if (label.name == "ONE") {
            EXPECT_EQ(opcode, "mov");
        }
        if (label.name == "END") {
            EXPECT_EQ(opcode, "st");
        }
    }
    // Both have a machine instruction: nothing is moved.
    std::vector<MachineAccess> twice = once;
    twice.push_back({first_line + 7, Kind::load, 4});
    EXPECT_EQ(outline(moved(both_sides, twice)),
              (Outline{"bra @%p1", "bra", "ld", "ld", "bra", "ld", "st"}));
}

// Four cases of a switch: what moves before the third branch shifts all that stands behind it, and must not be taken
// for what a branch before it leads to. The first case has its load, or one that stands before its branch.
TEST(MovedLoads, OfASwitchStayOnTheWayToTheirCase) {
    const Function function = moved(R"(    @%p1 bra FIRST;
    @%p2 bra SECOND;
    @%p3 bra LAST;
    ld.global.u32 %r1, [%rd1];
    ld.global.u32 %r2, [%rd2];
    bra.uni END;
FIRST:
    ld.global.u32 %r1, [%rd1];
    bra.uni END;
SECOND:
    ld.global.u32 %r1, [%rd1];
    ld.global.u32 %r2, [%rd1+4];
    bra.uni END;
LAST:
    ld.global.u32 %r1, [%rd1];
    ld.global.u32 %r2, [%rd1+4];
    ld.global.u32 %r3, [%rd2];
END:
    st.global.u32 [%rd3], %r1;
)",
                                    {{first_line + 3, Kind::load, 4},
                                     {first_line + 4, Kind::load, 4},
                                     {first_line + 7, Kind::load, 4},
                                     {first_line + 10, Kind::load, 4},
                                     {first_line + 11, Kind::load, 4},
                                     {first_line + 15, Kind::load, 4}});
    const auto& all = function.instructions;
    const auto label = std::ranges::find(function.labels, "FIRST", &Label::name);
    ASSERT_NE(label, function.labels.end());
    const Instruction& value = all[label->instruction];
    if (value.opcode == "ld") return;
    ASSERT_EQ(value.opcode, "mov");
    const auto branch = std::ranges::find(all, "bra", &Instruction::opcode);
    EXPECT_TRUE(std::any_of(all.begin(), branch, [&](const Instruction& each) {
        return each.opcode == "ld" && each.operands[0].index == value.operands[1].index;
    }));
}

TEST(MovedLoads, NotBehindAStore) {
    std::string stores = both_sides;
    stores.replace(stores.find("    ld.global.u32 %r3"), 0, "    st.global.u32 [%rd1], %r4;\n");
    EXPECT_EQ(outline(moved(stores, {{first_line + 3, Kind::load, 4}}))[0], "bra @%p1");
}

// LDG R9, [R2+0x4]; @P0 LDG R9, [R2+0x8].
const std::string selected = R"(    ld.global.u32 %r1, [%rd1+4];
    ld.global.u32 %r2, [%rd1+8];
    selp.b32 %r3, %r1, %r2, %p3;
    st.global.u32 [%rd1], %r3;
)";

TEST(MovedLoads, OfASelectionForTheLanesThatTakeIt) {
    const MachineAccess always{first_line, Kind::load, 4},
        guarded{first_line + 1, Kind::load, 4, true};
    EXPECT_EQ(outline(moved(selected, {always, guarded})),
              (Outline{"ld", "ld @!%p3", "selp", "st"}));
    const MachineAccess first_guarded{first_line, Kind::load, 4, true};
    EXPECT_EQ(outline(moved(selected, {first_guarded, guarded})),
              (Outline{"ld @%p3", "ld @!%p3", "selp", "st"}));
    // The value is read elsewhere too, or the predicate is not there yet.
    EXPECT_EQ(outline(moved(selected + "    st.global.u32 [%rd1+8], %r2;\n", {always, guarded}))[1],
              "ld");
    std::string late = selected;
    late.replace(late.find("    selp"), 0, "    setp.eq.s32 %p3, %r1, 0;\n");
    EXPECT_EQ(outline(moved(late, {always, guarded}))[1], "ld");
}

// BRA at 24, LDG at 76: the one side has its load, the other one takes what was loaded long before.
TEST(MovedLoads, NotWhereTheMachineCodeHasItBehindTheBranch) {
    std::vector<MachineAccess> code = {{first_line, Kind::jump, 4, true, 24},
                                       {first_line + 3, Kind::load, 4, false, 76},
                                       {first_line + 4, Kind::load, 4, false, 77}};
    EXPECT_EQ(outline(moved(both_sides, code))[0], "bra @%p1");
    code[1].place = 20;
    EXPECT_EQ(outline(moved(both_sides, code))[0], "ld");
}

// LDS.64 R6, [R6] in front of what was a branch.
TEST(MovedLoads, OfSharedMemoryToo) {
    std::string shared = both_sides;
    for (std::size_t at; (at = shared.find("ld.global")) != std::string::npos;)
        shared.replace(at, 9, "ld.shared");
    EXPECT_EQ(
        outline(moved(shared, {{first_line + 3, Kind::load, 4}, {first_line + 4, Kind::load, 4}})),
        (Outline{"ld", "bra @%p1", "bra", "mov", "ld", "bra", "mov", "st"}));
}

}  // namespace
}  // namespace emulator::ptx
