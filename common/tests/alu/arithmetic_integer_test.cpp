// Integer arithmetic, logic and bits against formulas of the PTX ISA in wider arithmetic.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "arithmetic_machine.hpp"

namespace arithmetic_test {
namespace {

using Wide = __int128;

template <class T>
const char* type_name() {
    if constexpr (std::is_same_v<T, std::int16_t>) return "s16";
    if constexpr (std::is_same_v<T, std::uint16_t>) return "u16";
    if constexpr (std::is_same_v<T, std::int32_t>) return "s32";
    if constexpr (std::is_same_v<T, std::uint32_t>) return "u32";
    if constexpr (std::is_same_v<T, std::int64_t>) return "s64";
    if constexpr (std::is_same_v<T, std::uint64_t>) return "u64";
}

// Whether the instruction equals `expected`, in arithmetic of 128 bits, truncated; with registers, and
// with an immediate in either place.
template <class R, class T, class F>
void check_binary(const std::string& name, F&& expected) {
    Machine machine;
    const std::string instruction = name + "." + type_name<T>();
    for_pairs(integer_values<T>(), [&](const Lanes<T>& a, const Lanes<T>& b) {
        const auto result = machine.run<R>(instruction, a, b);
        const auto with_second = machine.run<R>(instruction, a, literal(b[3]));
        const auto with_first = machine.run<R>(instruction, literal(a[5]), b);
        for (int lane = 0; lane < 32; ++lane) {
            EXPECT_EQ(result[lane], R(expected(Wide(a[lane]), Wide(b[lane])))) << instruction;
            EXPECT_EQ(with_second[lane], R(expected(Wide(a[lane]), Wide(b[3])))) << instruction;
            EXPECT_EQ(with_first[lane], R(expected(Wide(a[5]), Wide(b[lane])))) << instruction;
        }
    });
}

template <class T>
class Integers : public testing::Test {};
using AllIntegers = testing::Types<std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                   std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(Integers, AllIntegers);

TYPED_TEST(Integers, SumsProductsAndQuotients) {
    using T = TypeParam;
    using U = unsigned __int128;  // products of 64-bit integers wrap in it without overflow
    check_binary<T, T>("add", [](Wide a, Wide b) { return a + b; });
    check_binary<T, T>("sub", [](Wide a, Wide b) { return a - b; });
    check_binary<T, T>("mul.lo", [](Wide a, Wide b) { return U(a) * U(b); });
    check_binary<T, T>("mul.hi", [](Wide a, Wide b) {
        return std::is_signed_v<T> ? Wide(U(a) * U(b)) >> 8 * sizeof(T)
                                   : Wide(U(a) * U(b) >> 8 * sizeof(T));
    });
    check_binary<T, T>("min", [](Wide a, Wide b) { return std::min(a, b); });
    check_binary<T, T>("max", [](Wide a, Wide b) { return std::max(a, b); });
    // By zero: undefined in PTX, defined here as what GPUs do.
    check_binary<T, T>("div", [](Wide a, Wide b) { return b == 0 ? Wide(-1) : a / b; });
    check_binary<T, T>("rem", [](Wide a, Wide b) { return b == 0 ? Wide{-1} : a % b; });
}

TYPED_TEST(Integers, MultiplyAdd) {
    using T = TypeParam;
    Machine machine;
    const std::string type = type_name<T>();
    for_pairs(integer_values<T>(), [&](const Lanes<T>& a, const Lanes<T>& b) {
        Lanes<T> c;
        for (int lane = 0; lane < 32; ++lane) c[lane] = static_cast<T>(a[lane] ^ (b[lane] << 1));
        const auto low = machine.run<T>("mad.lo." + type, a, b, c);
        const auto high = machine.run<T>("mad.hi." + type, a, b, c);
        const auto sad = machine.run<T>("sad." + type, a, b, c);
        for (int lane = 0; lane < 32; ++lane) {
            const auto product = static_cast<unsigned __int128>(Wide(a[lane])) *
                                 static_cast<unsigned __int128>(Wide(b[lane]));
            EXPECT_EQ(low[lane], T(product + static_cast<unsigned __int128>(Wide(c[lane]))));
            const Wide upper = std::is_signed_v<T> ? Wide(product) >> 8 * sizeof(T)
                                                   : Wide(product >> 8 * sizeof(T));
            EXPECT_EQ(high[lane], T(upper + c[lane]));
            const Wide difference = Wide(a[lane]) - Wide(b[lane]);
            EXPECT_EQ(sad[lane], T(Wide(c[lane]) + (difference < 0 ? -difference : difference)));
        }
    });
}

template <class T, class W>
void check_wide(const std::string& type) {
    Machine machine;
    for_pairs(integer_values<T>(), [&](const Lanes<T>& a, const Lanes<T>& b) {
        Lanes<W> c;
        for (int lane = 0; lane < 32; ++lane) c[lane] = static_cast<W>(W(a[lane]) - W(77));
        const auto product = machine.run<W>("mul.wide." + type, a, b);
        const auto by_immediate = machine.run<W>("mul.wide." + type, a, literal(b[9]));
        const auto sum = machine.run<W>("mad.wide." + type, a, b, c);
        for (int lane = 0; lane < 32; ++lane) {
            EXPECT_EQ(product[lane], W(Wide(a[lane]) * Wide(b[lane])));
            EXPECT_EQ(by_immediate[lane], W(Wide(a[lane]) * Wide(b[9])));
            EXPECT_EQ(sum[lane], W(Wide(a[lane]) * Wide(b[lane]) + Wide(c[lane])));
        }
    });
}

TEST(Integer, WideProducts) {
    check_wide<std::int16_t, std::int32_t>("s16");
    check_wide<std::uint16_t, std::uint32_t>("u16");
    check_wide<std::int32_t, std::int64_t>("s32");
    check_wide<std::uint32_t, std::uint64_t>("u32");
}

TEST(Integer, Saturation) {
    const std::int32_t most = INT32_MAX, least = INT32_MIN;
    EXPECT_EQ((one<std::int32_t>("add.sat.s32", most, 1)), most);
    EXPECT_EQ((one<std::int32_t>("add.sat.s32", least, -1)), least);
    EXPECT_EQ((one<std::int32_t>("add.sat.s32", most, least)), -1);
    EXPECT_EQ((one<std::int32_t>("sub.sat.s32", least, 1)), least);
    EXPECT_EQ((one<std::int32_t>("sub.sat.s32", 0, least)), most);
    EXPECT_EQ((one<std::int32_t>("sub.sat.s32", 5, 7)), -2);
    EXPECT_EQ((one<std::int32_t>("mad.hi.sat.s32", most, most, most)), most);
    EXPECT_EQ((one<std::int32_t>("mad.hi.sat.s32", most, least, least)), least);
    EXPECT_EQ((one<std::int32_t>("min.relu.s32", -3, 4)), 0);
    EXPECT_EQ((one<std::int32_t>("max.relu.s32", -3, -4)), 0);
    EXPECT_EQ((one<std::int32_t>("max.relu.s32", -3, 4)), 4);
}

TEST(Integer, SignsAndZeros) {
    EXPECT_EQ((one<std::int32_t>("abs.s32", INT32_MIN)), INT32_MIN);
    EXPECT_EQ((one<std::int16_t>("abs.s16", std::int16_t{-5})), 5);
    EXPECT_EQ((one<std::int64_t>("neg.s64", std::int64_t{5})), -5);
    EXPECT_EQ((one<std::int64_t>("div.s64", INT64_MIN, std::int64_t{-1})), INT64_MIN);
    EXPECT_EQ((one<std::int64_t>("rem.s64", INT64_MIN, std::int64_t{-1})), 0);
    EXPECT_EQ((one<std::int32_t>("div.s32", INT32_MIN, -1)), INT32_MIN);
    EXPECT_EQ((one<std::int32_t>("rem.s32", INT32_MIN, -1)), 0);
    EXPECT_EQ((one<std::uint32_t>("cnot.b32", 0u)), 1u);
    EXPECT_EQ((one<std::uint32_t>("cnot.b32", 9u)), 0u);
}

TEST(Integer, ProductsOf24Bits) {
    // 0xfffffe x 0xffffff = 0xfffffd000002
    EXPECT_EQ((one<std::uint32_t>("mul24.lo.u32", 0xfffffffeu, 0x01ffffffu)), 0xfd000002u);
    EXPECT_EQ((one<std::uint32_t>("mul24.hi.u32", 0xfffffffeu, 0x01ffffffu)), 0xfffffd00u);
    // -2 x 3 = -6
    EXPECT_EQ((one<std::int32_t>("mul24.lo.s32", 0x00fffffe, 3)), -6);
    EXPECT_EQ((one<std::int32_t>("mul24.hi.s32", 0x00fffffe, 3)), -1);
    EXPECT_EQ((one<std::int32_t>("mad24.lo.s32", 0x00fffffe, 3, 10)), 4);
}

TEST(Integer, DotProducts) {
    // Bytes of a: 1, 2, 3, -1; of b: 4, 5, 6, 127.
    EXPECT_EQ((one<std::uint32_t>("dp4a.s32.s32", 0xff030201u, 0x7f060504u, 1000u)),
              1000u + 4 + 10 + 18 - 127);
    EXPECT_EQ((one<std::uint32_t>("dp4a.u32.u32", 0xff030201u, 0x7f060504u, 0u)),
              4u + 10 + 18 + 255 * 127);
    EXPECT_EQ((one<std::uint32_t>("dp4a.u32.s32", 0xff030201u, 0xff060504u, 0u)),
              4u + 10 + 18 - 255);
    // Halves of a: 3, -2; bytes of b: 4, 5 | 6, -1.
    EXPECT_EQ((one<std::uint32_t>("dp2a.lo.s32.s32", 0xfffe0003u, 0xff060504u, 7u)), 7u + 12 - 10);
    EXPECT_EQ((one<std::uint32_t>("dp2a.hi.s32.s32", 0xfffe0003u, 0xff060504u, 7u)), 7u + 18 + 2);
}

TEST(Integer, ExtendedPrecision) {
    // 128-bit sums by two 64-bit operations, and by four of 32 bits.
    Machine machine;
    const auto values = integer_values<std::uint64_t>();
    for_pairs(values, [&](const Lanes<std::uint64_t>& a, const Lanes<std::uint64_t>& b) {
        for (const bool subtracts : {false, true}) {
            const std::string name = subtracts ? "sub" : "add";
            machine.carry = 0;
            const auto low = machine.run<std::uint64_t>(name + ".cc.u64", a, b);
            const auto high = machine.run<std::uint64_t>(name + "c.u64", b, a);
            for (int lane = 0; lane < 32; ++lane) {
                using U = unsigned __int128;
                const U x = U{b[lane]} << 64 | a[lane], y = U{a[lane]} << 64 | b[lane];
                const U expected = subtracts ? x - y : x + y;
                EXPECT_EQ(low[lane], std::uint64_t(expected));
                EXPECT_EQ(high[lane], std::uint64_t(expected >> 64)) << name;
            }
        }
        // The full product of 64 bits from four of 32.
        Lanes<std::uint32_t> a0, a1, b0, b1;
        for (int lane = 0; lane < 32; ++lane) {
            a0[lane] = std::uint32_t(a[lane]), a1[lane] = std::uint32_t(a[lane] >> 32);
            b0[lane] = std::uint32_t(b[lane]), b1[lane] = std::uint32_t(b[lane] >> 32);
        }
        const auto p0 = machine.run<std::uint32_t>("mul.lo.u32", a0, b0);
        auto p1 = machine.run<std::uint32_t>("mul.hi.u32", a0, b0);
        auto p2 = machine.run<std::uint32_t>("mul.hi.u32", a0, b1);
        p1 = machine.run<std::uint32_t>("mad.lo.cc.u32", a0, b1, p1);
        p2 = machine.run<std::uint32_t>("madc.hi.u32", a1, b0,
                                        machine.run<std::uint32_t>("addc.u32", p2, same(0u)));
        (void)p2;
        for (int lane = 0; lane < 32; ++lane) {
            const std::uint64_t expected =
                std::uint64_t{a0[lane]} * b0[lane] + (std::uint64_t{a0[lane]} * b1[lane] << 32);
            EXPECT_EQ((std::uint64_t{p1[lane]} << 32 | p0[lane]), expected);
        }
    });
    // Carry in and out of one lane only.
    machine.carry = 2;
    const auto sum = machine.run<std::uint32_t>("addc.cc.u32", same(0xffffffffu), same(0u));
    EXPECT_EQ(sum[0], 0xffffffffu);
    EXPECT_EQ(sum[1], 0u);
    EXPECT_EQ(machine.carry, 2u);
}

// In nvcc's division of 128 bits an addc asks whether the sub.cc before it borrowed: on an H200 the flag is set
// where it did not.
TEST(Integer, ABorrowClearsTheCarry) {
    Machine machine;
    Lanes<std::uint32_t> a, b;
    for (unsigned lane = 0; lane < 32; ++lane) a[lane] = lane, b[lane] = 16;
    machine.run<std::uint32_t>("sub.cc.u32", a, b);
    const auto flags = machine.run<std::uint32_t>("addc.u32", same(0u), same(0u));
    for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(flags[lane], lane >= 16) << lane;
}

TEST(Integer, PairsOf16Bits) {
    EXPECT_EQ((one<std::uint32_t>("add.u16x2", 0xffff0001u, 0x0001ffffu)), 0x00000000u);
    EXPECT_EQ((one<std::uint32_t>("min.s16x2", 0x80000001u, 0x0001ffffu)), 0x8000ffffu);
    EXPECT_EQ((one<std::uint32_t>("max.u16x2", 0x80000001u, 0x0001ffffu)), 0x8000ffffu);
    EXPECT_EQ((one<std::uint32_t>("max.relu.s16x2", 0x80000001u, 0xffff0005u)), 0x00000005u);
}

TEST(Integer, MaskedLanesStay) {
    Machine machine;
    machine.mask = 0x80010013;
    const auto narrow =
        machine.run<std::uint16_t>("add.u16", same<std::uint16_t>(1), same<std::uint16_t>(2));
    const auto word = machine.run<std::uint32_t>("add.u32", same(1u), same(2u));
    const auto wide = machine.run<std::uint64_t>("mul.wide.u32", same(1u), same(3u));
    const auto by_immediate = machine.run<std::uint32_t>("shl.b32", same(3u), literal(0u));
    for (int lane = 0; lane < 32; ++lane) {
        const bool executes = machine.mask >> lane & 1;
        EXPECT_EQ(narrow[lane], executes ? 3 : 0xa5a5);
        EXPECT_EQ(word[lane], executes ? 3 : 0xa5a5a5a5);
        EXPECT_EQ(wide[lane], executes ? 3 : 0xa5a5a5a5a5a5a5a5);
        EXPECT_EQ(by_immediate[lane], executes ? 3 : 0xa5a5a5a5);
    }
}

TEST(Integer, UnknownFormsAreRefused) {
    const OperandShape word{.register_bytes = 4}, wide{.register_bytes = 8};
    EXPECT_TRUE(Machine::knows("add.s32", {word, word, word}));
    EXPECT_FALSE(Machine::knows("add.s32", {word, word, wide}));
    EXPECT_FALSE(Machine::knows("add.funny.s32", {word, word, word}));
    EXPECT_FALSE(Machine::knows("ld.global.u32", {word, wide}));
    EXPECT_FALSE(Machine::knows("vadd.s32.s32.s32", {word, word, word}));
}

}  // namespace
}  // namespace arithmetic_test
