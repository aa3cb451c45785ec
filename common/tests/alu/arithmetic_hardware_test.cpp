// What the PTX ISA leaves open and a GPU decides: NaN patterns, division by zero, fields beyond a register.
// The expected bits are those that an H200 computed (data/nvidia-h200/counters/arithmetic_outputs.csv has
// hashes of many more).
#include <cmath>
#include <cstdint>
#include <string>

#include "arithmetic_machine.hpp"

namespace arithmetic_test {
namespace {

double f64(std::uint64_t value) { return std::bit_cast<double>(value); }

// Three NaNs that differ: quiet, quiet with sign and payload, signalling.
constexpr std::uint64_t quiet = 0x7ff8000000000000, negative = 0xfff8000000000123,
                        signalling = 0x7ff0000000000001, quieted = 0x7ff8000000000001;

TEST(Hardware, TheSecondNaNOfF64Counts) {
    const auto result = [](const std::string& instruction, std::uint64_t a, std::uint64_t b) {
        return bits(one<double>(instruction, f64(a), f64(b)));
    };
    for (const char* const instruction : {"add.rn.f64", "sub.rn.f64", "sub.rz.f64", "mul.rn.f64",
                                          "mul.rp.f64", "min.f64", "max.f64"}) {
        EXPECT_EQ(result(instruction, negative, quiet), quiet) << instruction;
        EXPECT_EQ(result(instruction, quiet, negative), negative) << instruction;
        EXPECT_EQ(result(instruction, negative, signalling), quieted) << instruction;
    }
    EXPECT_EQ(result("div.rn.f64", negative, quiet), negative);
    EXPECT_EQ(result("div.rn.f64", signalling, quiet), quieted);
}

TEST(Hardware, NaNsOfFusedMultiplyAdd) {
    for (const char* const mode : {"rn", "rz", "rm", "rp"}) {
        const std::string instruction = std::string("fma.") + mode + ".f64";
        const auto result = [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
            return bits(one<double>(instruction, f64(a), f64(b), f64(c)));
        };
        EXPECT_EQ(result(0x4004000000000000, negative, quiet), negative) << mode;
        EXPECT_EQ(result(quiet, 1, signalling), quieted) << mode;
        EXPECT_EQ(result(negative, 0x43f0000000000000, quiet), quiet) << mode;
        EXPECT_EQ(result(negative, signalling, 0x4004000000000000), quieted) << mode;
    }
}

TEST(Hardware, SignsOfNaN) {
    EXPECT_EQ(bits(one<double>("neg.f64", f64(quiet))), quiet);
    EXPECT_EQ(bits(one<double>("neg.f64", f64(signalling))), quieted);
    EXPECT_EQ(bits(one<double>("neg.f64", 1.5)), 0xbff8000000000000u);
    EXPECT_EQ(bits(one<double>("abs.f64", f64(negative))), negative);
    EXPECT_EQ(bits(one<double>("abs.f64", f64(signalling))), quieted);
    const auto of_half = [](const char* instruction, std::uint16_t a) {
        return one<std::uint16_t>(instruction, a);
    };
    EXPECT_EQ(of_half("neg.f16", 0x7e01), 0x7fff);
    EXPECT_EQ(of_half("neg.f16", 0x7c00), 0xfc00);
    EXPECT_EQ(of_half("abs.f16", 0xfc01), 0x7fff);
    EXPECT_EQ(of_half("neg.bf16", 0x7f81), 0x7fff);
    EXPECT_EQ(of_half("neg.bf16", 0x7f80), 0xff80);
    EXPECT_EQ(of_half("abs.bf16", 0xffbb), 0x7fff);
    EXPECT_EQ((one<std::uint32_t>("neg.f16x2", 0x7c007e01u)), 0xfc007fffu);
    EXPECT_EQ((one<std::uint32_t>("abs.bf16x2", 0xc725ffbbu)), 0x47257fffu);
}

TEST(Hardware, ConversionsOfNaN) {
    const double with_payload = f64(0x7ffd32e9fd16fb28);
    EXPECT_EQ(bits(one<float>("cvt.rn.f32.f64", with_payload)), 0x7fe9974fu);
    EXPECT_EQ(bits(one<float>("cvt.rz.f32.f64", f64(negative))), 0xffc00000u);
    EXPECT_EQ(bits(one<float>("cvt.rn.ftz.f32.f64", f64(signalling))), 0x7fc00000u);
    EXPECT_EQ(bits(one<float>("cvt.rn.sat.f32.f64", with_payload)), 0u);
    EXPECT_EQ((one<std::uint16_t>("cvt.rn.f16.f64", with_payload)), 0x7f4c);
    EXPECT_EQ((one<std::uint16_t>("cvt.rp.f16.f64", f64(0xfffae470dcaae164))), 0xfeb9);
    EXPECT_EQ(bits(one<double>("cvt.f64.f32", f32(0xffc00001))), 0xfff8000020000000u);
    EXPECT_EQ(bits(one<double>("cvt.ftz.f64.f32", f32(0xffc00001))), 0x7fffffffe0000000u);
    EXPECT_EQ((one<std::uint32_t>("cvt.f32.bf16", std::uint16_t{0x7f81})), 0x7f810000u);
    EXPECT_EQ((one<std::uint32_t>("cvt.f32.f16", std::uint16_t{0xfc01})), 0x7fffffffu);
    EXPECT_EQ((one<std::uint16_t>("cvt.rzi.s8.f64", f64(quiet))), 0xff80);
    EXPECT_EQ((one<std::uint16_t>("cvt.rzi.u8.f64", f64(quiet))), 0x0080);
    EXPECT_EQ((one<std::uint32_t>("cvt.rna.tf32.f32", f32(0x7fe73a4d))), 0x7fe72000u);
    EXPECT_EQ((one<std::uint32_t>("cvt.rna.tf32.f32", f32(0x7f800001))), 0x7f800000u);
    EXPECT_EQ((one<std::uint32_t>("cvt.rna.tf32.f32", f32(0x3eaaaaab))), 0x3eaaa000u);
    EXPECT_EQ(bits(one<double>("rcp.approx.ftz.f64", f64(negative))), 0x7fffffff00000000u);
}

TEST(Hardware, FlushesReciprocalsOfF64) {
    const auto reciprocal = [](std::uint64_t a) {
        return bits(one<double>("rcp.approx.ftz.f64", f64(a)));
    };
    EXPECT_EQ(reciprocal(0x800fffffffffffff), 0xfff0000000000000u);
    EXPECT_EQ(reciprocal(0xffefffffffffffff), 0x8000000000000000u);
}

TEST(Hardware, RoundsHalvesToWholeNumbers) {
    const auto rounded = [](const char* mode, std::uint16_t a) {
        return one<std::uint16_t>(std::string("cvt.") + mode + ".f16.f16", a);
    };
    EXPECT_EQ(rounded("rni", 0x3f80), 0x4000);  // 1.875
    EXPECT_EQ(rounded("rni", 0x4100), 0x4000);  // 2.5
    EXPECT_EQ(rounded("rzi", 0xbf80), 0xbc00);
    EXPECT_EQ(rounded("rmi", 0x4049), 0x4000);  // 2.14
    EXPECT_EQ(rounded("rpi", 0x4049), 0x4200);
    EXPECT_EQ(rounded("rpi", 0x0001), 0x3c00);
    EXPECT_EQ(rounded("rpi", 0x8001), 0x8000);
    EXPECT_EQ(rounded("rni", 0xfc01), 0x7fff);
}

TEST(Hardware, RemainderOfDivisionByZero) {
    EXPECT_EQ((one<std::uint16_t>("rem.u16", std::uint16_t{7}, std::uint16_t{0})), 0xffff);
    EXPECT_EQ((one<std::int32_t>("rem.s32", 7, 0)), -1);
    EXPECT_EQ((one<std::uint64_t>("rem.u64", std::uint64_t{7}, std::uint64_t{0})),
              0xffffffffffffffffu);
}

TEST(Hardware, FieldsBeyond255) {
    const std::uint64_t value = 0x7fffff8000000001;
    EXPECT_EQ((one<std::uint64_t>("bfe.u64", value, 0u, 0x100u)), value);
    EXPECT_EQ((one<std::uint32_t>("bfe.u32", 0x12345678u, 0u, 0x100u)), 0u);
    EXPECT_EQ((one<std::int64_t>("bfe.s64", INT64_MIN + 1, 0x1fu, 0x80000001u)),
              std::int64_t(0xffffffff00000000u));
    EXPECT_EQ((one<std::uint64_t>("bfi.b64", value, std::uint64_t{0x3f}, 0x100u, 7u)), 0x3fu);
    EXPECT_EQ(
        (one<std::uint64_t>("bfi.b64", std::uint64_t{0x20}, std::uint64_t{1}, 7u, 0x3c00bc00u)),
        0x1001u);
    EXPECT_EQ((one<std::uint32_t>("fns.b32", 0x7c007e01u, 0u, INT32_MIN)), 0u);
}

}  // namespace
}  // namespace arithmetic_test
