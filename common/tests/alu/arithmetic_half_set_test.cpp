// set with halves, and the SIMD video instructions. Expected values follow from the PTX ISA's pseudocode.
#include "arithmetic_machine.hpp"

namespace arithmetic_test {
namespace {

constexpr std::uint16_t one = 0x3c00, two = 0x4000, nan = 0x7e00, smallest = 0x0001;

template <class T>
T lane_of(const std::string& instruction, T a, T b) {
    return Machine{}.run<T>(instruction, same(a), same(b))[7];
}

std::uint32_t pair(std::uint16_t low, std::uint16_t high) {
    return low | static_cast<std::uint32_t>(high) << 16;
}

TEST(HalfSet, OneHalfBecomesOneOrZero) {
    EXPECT_EQ(lane_of("set.lt.f16.f16", one, two), one);
    EXPECT_EQ(lane_of("set.lt.f16.f16", two, one), 0);
    EXPECT_EQ(lane_of("set.eq.f16.f16", std::uint16_t{0}, std::uint16_t{0x8000}), one);  // -0
    EXPECT_EQ(lane_of("set.nan.f16.f16", one, nan), one);
    EXPECT_EQ(lane_of("set.ge.bf16.bf16", std::uint16_t{0x3f80}, std::uint16_t{0x3f80}), 0x3f80);
}

TEST(HalfSet, UnorderedRelations) {
    EXPECT_EQ(lane_of("set.lt.f16.f16", one, nan), 0);
    EXPECT_EQ(lane_of("set.ltu.f16.f16", one, nan), one);
    EXPECT_EQ(lane_of("set.ne.f16.f16", nan, nan), 0);
    EXPECT_EQ(lane_of("set.neu.f16.f16", nan, nan), one);
}

TEST(HalfSet, PairsAreComparedSeparately) {
    EXPECT_EQ(lane_of("set.eq.f16x2.f16x2", pair(one, two), pair(one, one)), pair(one, 0));
    EXPECT_EQ(lane_of("set.gt.f16x2.f16x2", pair(one, two), pair(one, one)), pair(0, one));
    EXPECT_EQ(lane_of("set.eq.u32.f16x2", pair(one, two), pair(two, two)), 0xffff0000u);
    EXPECT_EQ(lane_of("set.le.bf16x2.bf16x2", pair(0x3f80, 0x4000), pair(0x4000, 0x3f80)),
              pair(0x3f80, 0));
}

TEST(HalfSet, SubnormalNumbersAreZeroWithFtz) {
    EXPECT_EQ(lane_of("set.eq.f16.f16", smallest, std::uint16_t{0}), 0);
    EXPECT_EQ(lane_of("set.eq.ftz.f16.f16", smallest, std::uint16_t{0}), one);
}

TEST(HalfSet, InactiveLanesKeepTheirValue) {
    Machine machine;
    machine.mask = 0x80;
    const auto result = machine.run<std::uint16_t>("set.lt.f16.f16", same(one), same(two));
    EXPECT_EQ(result[7], one);
    EXPECT_EQ(result[8], 0xa5a5);
}

std::uint32_t video(const std::string& instruction, std::uint32_t a, std::uint32_t b,
                    std::uint32_t c) {
    return Machine{}.run<std::uint32_t>(instruction, same(a), same(b), same(c))[3];
}

TEST(Video, AbsoluteDifferences) {
    EXPECT_EQ(video("vabsdiff4.u32.u32.u32", 0x01020304, 0x04030201, 100), 0x03010103u);
    // 3 + 1 + 1 + 3
    EXPECT_EQ(video("vabsdiff4.u32.u32.u32.add", 0x01020304, 0x04030201, 100), 108u);
    EXPECT_EQ(video("vabsdiff2.u32.u32.u32", 0x00010005, 0x00030002, 0), 0x00020003u);
    EXPECT_EQ(video("vabsdiff2.u32.u32.u32.add", 0x00010005, 0x00030002, 1), 6u);
}

TEST(Video, SignsAreThoseOfTheType) {
    // 255 and 1, or -1 and 1.
    EXPECT_EQ(video("vabsdiff4.u32.u32.u32", 0xff, 0x01, 0), 254u);
    EXPECT_EQ(video("vabsdiff4.s32.s32.s32", 0xff, 0x01, 0), 2u);
}

TEST(Video, OtherFormsAreNotKnown) {
    const std::vector<OperandShape> shapes(4, OperandShape{4});
    EXPECT_TRUE(Machine::knows("vabsdiff4.u32.u32.u32", shapes));
    EXPECT_FALSE(Machine::knows("vabsdiff4.u32.u32.u32.sat", shapes));
    EXPECT_FALSE(Machine::knows("vabsdiff4.u32.u32.s32", shapes));
    EXPECT_FALSE(Machine::knows("vadd4.u32.u32.u32", shapes));
}

}  // namespace
}  // namespace arithmetic_test
