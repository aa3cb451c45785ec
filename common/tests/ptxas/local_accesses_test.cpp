// Accesses of local memory where the machine code differs from the PTX.
#include "emulator/ptxas/accesses/local_accesses.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "emulator/ptxas/accesses/unrolled_loops.hpp"

namespace emulator::ptx {
namespace {

using Kind = MachineAccessKind;

const std::string text = R"(.version 8.0
.target sm_75
.address_size 64
.func helper()
{
    .reg .b32 %r<2>;
    mov.u32 %r1, 0;
    ret;
}
.visible .entry k(.param .u64 p)
{
    .local .align 4 .b8 array[16];
    .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [p];
LOOP:
    ld.local.u32 %r1, [array];
    st.local.u32 [array+4], %r1;
    st.local.u32 [array+8], %r1;
    ld.global.u32 %r2, [%rd1];
    add.s32 %r3, %r3, 1;
    setp.lt.s32 %p1, %r3, 9;
    @%p1 bra LOOP;
    ret;
}
)";
constexpr std::uint32_t helper_head = 5, helper_ret = 8, kernel_head = 11, local_load = 16,
                        first_store = 17, second_store = 18, global_load = 19;

Module module_with(std::vector<MachineAccess> code) {
    Module module = parse(text);
    if (!code.empty()) module.machine_code["k"] = std::move(code);
    return module;
}

const Function& kernel_of(const Module& module) { return module.functions[1]; }

std::uint32_t at_line(const Function& function, std::uint32_t line, unsigned copy = 0) {
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
        if (function.instructions[i].text_line == line && copy-- == 0) return i;
    }
    throw std::out_of_range("no instruction of that line");
}

TEST(LocalAccesses, AsWrittenWithoutMachineCode) {
    const Module module = module_with({});
    const LocalAccesses accesses(module, "k", kernel_of(module));
    EXPECT_EQ(accesses.of(at_line(kernel_of(module), local_load)), nullptr);
    EXPECT_TRUE(accesses.spills(0).empty());
}

TEST(LocalAccesses, VariablesInRegistersAndMergedStores) {
    // The load is gone, the two stores are one of 8 bytes.
    const Module module = module_with({{first_store, Kind::local_store, 8}});
    const Function& kernel = kernel_of(module);
    const LocalAccesses accesses(module, "k", kernel);
    EXPECT_EQ(*accesses.of(at_line(kernel, local_load)), std::vector<IssuedPiece>{});
    EXPECT_EQ(*accesses.of(at_line(kernel, first_store)), (std::vector<IssuedPiece>{{0, 8}}));
    EXPECT_EQ(*accesses.of(at_line(kernel, second_store)), std::vector<IssuedPiece>{});
}

TEST(LocalAccesses, SpillsGoWithTheInstructionOfTheirLine) {
    const Module module = module_with({{kernel_head, Kind::local_store, 4},
                                       {first_store, Kind::local_store, 4},
                                       {first_store, Kind::local_load, 4},
                                       {global_load, Kind::local_load, 16}});
    const Function& kernel = kernel_of(module);
    const LocalAccesses accesses(module, "k", kernel);
    EXPECT_EQ(accesses.spills(0), (std::vector<Spill>{{false, 4}}));  // the function's head
    EXPECT_EQ(accesses.spills(at_line(kernel, first_store)), (std::vector<Spill>{{true, 4}}));
    EXPECT_EQ(accesses.spills(at_line(kernel, global_load)), (std::vector<Spill>{{true, 16}}));
}

TEST(LocalAccesses, OfACalledFunctionUnlessItIsInlined) {
    const MachineAccess save{helper_head, Kind::local_store, 4}, back{helper_ret, Kind::return_, 4};
    const Module called = module_with({save, back}), inlined = module_with({save});
    EXPECT_EQ(LocalAccesses(called, "k", called.functions[0]).spills(0),
              (std::vector<Spill>{{false, 4}}));
    EXPECT_TRUE(LocalAccesses(inlined, "k", inlined.functions[0]).spills(0).empty());
    EXPECT_TRUE(LocalAccesses(called, "k", kernel_of(called)).spills(0).empty());
}

// LD.E R3, [R2+0x8]; LDL R2, [R1]: the register of the address is restored with the load's line.
TEST(LocalAccesses, AGenericLoadThatIsOneInTheMachineCodeIsNoLocalLoad) {
    const std::string body = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    ld.u32 %r1, [%rd1+8];
    ret;
}
)";
    constexpr std::uint32_t load = 8;
    const MachineAccess generic{load, Kind::load, 4, false, 0, true};
    const MachineAccess restored{load, Kind::local_load, 4};
    const auto spills_of = [&](std::vector<MachineAccess> code) {
        Module module = parse(body);
        module.machine_code["k"] = std::move(code);
        const Function& kernel = module.functions[0];
        return LocalAccesses(module, "k", kernel).spills(at_line(kernel, load));
    };
    EXPECT_EQ(spills_of({generic, restored}), (std::vector<Spill>{{true, 4}}));
    EXPECT_TRUE(spills_of({restored}).empty());  // ptxas knows where it points
}

TEST(LocalAccesses, CopiesOfAnUnrolledLoopShareThem) {
    std::vector<MachineAccess> code(7, {global_load, Kind::load, 4});
    code.insert(code.begin(), 5, {second_store, Kind::local_load, 4});
    code.insert(code.begin(), 7, {local_load, Kind::local_load, 4});
    Module module = module_with(std::move(code));
    unroll_loops(module);
    const Function& kernel = kernel_of(module);
    const LocalAccesses accesses(module, "k", kernel);
    for (unsigned copy = 0; copy < 7; ++copy) {
        EXPECT_EQ(*accesses.of(at_line(kernel, local_load, copy)),
                  (std::vector<IssuedPiece>{{0, 4}}));
        EXPECT_EQ(*accesses.of(at_line(kernel, first_store, copy)), std::vector<IssuedPiece>{});
        EXPECT_EQ(accesses.spills(at_line(kernel, second_store, copy)).size(), copy < 5 ? 1u : 0u);
    }
}

}  // namespace
}  // namespace emulator::ptx
