// Operands of quotients for which machine code calls a subroutine.
#include "emulator/simt/record/rare_operands.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string>
#include <vector>

namespace emulator::simt {
namespace {

std::optional<RareOperandsDetail> of(const std::string& opcode,
                                     const std::vector<std::string>& modifiers) {
    ptx::Instruction instruction;
    instruction.opcode = opcode;
    instruction.modifiers = modifiers;
    return rare_operands_of(instruction);
}

TEST(RareOperands, OnlyQuotientsWithASubroutine) {
    EXPECT_TRUE(of("div", {"u64"}) && of("rem", {"s64"}));
    EXPECT_TRUE(of("div", {"rn", "f32"}) && of("div", {"rn", "f64"}));
    EXPECT_FALSE(of("div", {"s32"}) || of("rem", {"u32"}));
    EXPECT_FALSE(of("div", {"approx", "f32"}) || of("div", {"full", "f32"}));
    EXPECT_FALSE(of("add", {"rn", "f32"}) || of("mul", {"lo", "s64"}));
}

TEST(RareOperands, IntegersBeyond32Bits) {
    const auto rare = of("div", {"u64"})->is_rare;
    constexpr std::uint64_t beyond = std::uint64_t{1} << 32;
    EXPECT_FALSE(rare(beyond - 1, beyond - 1));
    EXPECT_TRUE(rare(beyond, 3));
    EXPECT_TRUE(rare(3, beyond));
    EXPECT_TRUE(rare(static_cast<std::uint64_t>(-7), 3));  // a negative one
}

TEST(RareOperands, FloatsOutOfRange) {
    const auto rare = [](float dividend, float divisor) {
        return of("div", {"rn", "f32"})
            ->is_rare(std::bit_cast<std::uint32_t>(dividend),
                      std::bit_cast<std::uint32_t>(divisor));
    };
    constexpr float infinity = std::numeric_limits<float>::infinity();
    EXPECT_FALSE(rare(1, 3) || rare(-1e9f, 7e-5f) || rare(1e-20f, 1e10f));
    EXPECT_TRUE(rare(0, 3) && rare(-0.f, 3));
    EXPECT_TRUE(rare(1, 0) && rare(1, infinity) && rare(infinity, 1));
    EXPECT_TRUE(rare(1e30f, 1e-30f) && rare(1e-30f, 1e30f));  // quotients beyond floats
    EXPECT_TRUE(rare(1, 1e-40f) && rare(1e-40f, 1));          // denormal
}

TEST(RareOperands, DoublesOutOfRange) {
    const auto rare = [](double dividend, double divisor) {
        return of("div", {"rn", "f64"})
            ->is_rare(std::bit_cast<std::uint64_t>(dividend),
                      std::bit_cast<std::uint64_t>(divisor));
    };
    EXPECT_FALSE(rare(1, 3) || rare(-1e200, 7e-50) || rare(1e-100, 1e100));
    EXPECT_TRUE(rare(0, 3));
    EXPECT_TRUE(rare(1e-200, 1e200));
}

}  // namespace
}  // namespace emulator::simt
