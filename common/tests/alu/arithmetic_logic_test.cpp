// Logic, shifts, bit fields, permutation, moves, comparison of integers.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "arithmetic_machine.hpp"

namespace arithmetic_test {
namespace {

TEST(Logic, Words) {
    EXPECT_EQ((one<std::uint32_t>("and.b32", 0xff00ff00u, 0x0ff00ff0u)), 0x0f000f00u);
    EXPECT_EQ((one<std::uint64_t>("or.b64", std::uint64_t{1} << 40, std::uint64_t{3})),
              (std::uint64_t{1} << 40 | 3));
    EXPECT_EQ((one<std::uint16_t>("xor.b16", std::uint16_t{0xff0f}, std::uint16_t{0x0ff0})),
              0xf0ff);
    EXPECT_EQ((one<std::uint16_t>("not.b16", std::uint16_t{0xff0f})), 0x00f0);
}

TEST(Logic, LookupOfThreeBits) {
    Machine machine;
    const std::uint32_t a = 0xf0f0f0f0, b = 0xcccccccc, c = 0xaaaaaaaa;
    // These sources hold all combinations, so the result spells the table.
    for (std::uint32_t table = 0; table < 256; ++table) {
        const auto result =
            machine.run<std::uint32_t>("lop3.b32", same(a), same(b), same(c), literal(table));
        EXPECT_EQ(result[7], table * 0x01010101u);
    }
}

TEST(Logic, ShiftsByTheWidthAndMore) {
    EXPECT_EQ((one<std::uint32_t>("shl.b32", 1u, 31u)), 0x80000000u);
    EXPECT_EQ((one<std::uint32_t>("shl.b32", 1u, 32u)), 0u);
    EXPECT_EQ((one<std::uint32_t>("shl.b32", 1u, 0xffffffffu)), 0u);
    EXPECT_EQ((one<std::uint32_t>("shr.u32", 0x80000000u, 33u)), 0u);
    EXPECT_EQ((one<std::int32_t>("shr.s32", INT32_MIN, 33u)), -1);
    EXPECT_EQ((one<std::int32_t>("shr.s32", INT32_MIN, 4u)), INT32_MIN / 16);
    EXPECT_EQ((one<std::uint64_t>("shl.b64", std::uint64_t{3}, 63u)), std::uint64_t{1} << 63);
    EXPECT_EQ((one<std::uint64_t>("shl.b64", std::uint64_t{3}, 64u)), 0u);
    EXPECT_EQ((one<std::int64_t>("shr.s64", INT64_MIN, 100u)), -1);
    EXPECT_EQ((one<std::int16_t>("shr.s16", std::int16_t{-32768}, 16u)), -1);
    EXPECT_EQ((one<std::uint16_t>("shl.b16", std::uint16_t{1}, 16u)), 0);
    EXPECT_EQ((one<std::uint16_t>("shl.b16", std::uint16_t{1}, 15u)), 0x8000);
}

TEST(Logic, FunnelShifts) {
    const std::uint32_t low = 0x89abcdef, high = 0x01234567;
    EXPECT_EQ((one<std::uint32_t>("shf.l.wrap.b32", low, high, 8u)), 0x23456789u);
    EXPECT_EQ((one<std::uint32_t>("shf.r.wrap.b32", low, high, 8u)), 0x6789abcdu);
    EXPECT_EQ((one<std::uint32_t>("shf.l.wrap.b32", low, high, 32u)), high);
    EXPECT_EQ((one<std::uint32_t>("shf.l.clamp.b32", low, high, 32u)), low);
    EXPECT_EQ((one<std::uint32_t>("shf.r.clamp.b32", low, high, 40u)), high);
    EXPECT_EQ((one<std::uint32_t>("shf.r.wrap.b32", low, high, 0u)), low);
}

TEST(Logic, Predicates) {
    Machine machine;
    EXPECT_EQ(machine.test("and.pred", Predicate{0xff00ff00}, Predicate{0x0ff00ff0}), 0x0f000f00u);
    EXPECT_EQ(machine.test("or.pred", Predicate{0xff000000}, Predicate{1}), 0xff000001u);
    EXPECT_EQ(machine.test("xor.pred", Predicate{0xff000000}, Predicate{0xf0000000}), 0x0f000000u);
    EXPECT_EQ(machine.test("not.pred", Predicate{0xff000000}), 0x00ffffffu);
    EXPECT_EQ(machine.test("mov.pred", Predicate{0x1234}), 0x1234u);
    machine.mask = 0xf;
    EXPECT_EQ(machine.test("mov.pred", Predicate{0x1234}), 0xa5a5a5a4u);
}

// The PTX ISA's loops over bits. It limits positions and lengths to 255; see arithmetic_hardware_test.cpp.
template <class T>
int field_count(std::uint32_t value) {
    return static_cast<int>(sizeof(T) == 4 ? value & 0xff : std::min(value, 255u));
}

template <class T>
T extract(T a, std::uint32_t b, std::uint32_t c) {
    const int top = 8 * sizeof(T) - 1, position = field_count<T>(b), length = field_count<T>(c);
    const bool sign =
        std::is_signed_v<T> && length != 0 && (a >> std::min(position + length - 1, top) & 1);
    std::make_unsigned_t<T> d = 0;
    for (int i = 0; i <= top; ++i) {
        const bool bit = i < length && position + i <= top ? a >> (position + i) & 1 : sign;
        d |= std::make_unsigned_t<T>(bit) << i;
    }
    return static_cast<T>(d);
}

template <class T>
T insert(T a, T b, std::uint32_t c, std::uint32_t d) {
    const int top = 8 * sizeof(T) - 1, position = field_count<T>(c), length = field_count<T>(d);
    T f = b;
    for (int i = 0; i < length && position + i <= top; ++i) {
        f = static_cast<T>((f & ~(T{1} << (position + i))) | (a >> i & 1) << (position + i));
    }
    return f;
}

template <class T>
void check_fields(const std::string& type, const std::string& bits) {
    Machine machine;
    using U = std::make_unsigned_t<T>;
    for (const T value : {T(0x89abcdef12345678), T(0x7654321089abcdef), T(-1)}) {
        for (std::uint32_t position = 0; position < 80; position += 3) {
            Lanes<std::uint32_t> lengths;
            for (std::uint32_t lane = 0; lane < 32; ++lane)
                lengths[lane] = lane * 67 % 80 + 256 * (lane & 1);
            const auto taken = machine.run<T>("bfe." + type, same(value), same(position), lengths);
            const auto put = machine.run<U>("bfi." + bits, same(U(value)), same(U(0x5555)),
                                            same(position), lengths);
            for (int lane = 0; lane < 32; ++lane) {
                EXPECT_EQ(taken[lane], extract(value, position, lengths[lane])) << type << position;
                EXPECT_EQ(put[lane], insert(U(value), U(0x5555), position, lengths[lane]));
            }
        }
    }
}

TEST(Bits, Fields) {
    check_fields<std::int32_t>("s32", "b32");
    check_fields<std::uint32_t>("u32", "b32");
    check_fields<std::int64_t>("s64", "b64");
    check_fields<std::uint64_t>("u64", "b64");
}

TEST(Bits, Counting) {
    EXPECT_EQ((one<std::uint32_t>("popc.b32", 0xf000f001u)), 9u);
    EXPECT_EQ((one<std::uint32_t>("popc.b64", ~std::uint64_t{0})), 64u);
    EXPECT_EQ((one<std::uint32_t>("clz.b32", 0u)), 32u);
    EXPECT_EQ((one<std::uint32_t>("clz.b32", 1u)), 31u);
    EXPECT_EQ((one<std::uint32_t>("clz.b64", std::uint64_t{1} << 40)), 23u);
    EXPECT_EQ((one<std::uint32_t>("bfind.u32", 0u)), 0xffffffffu);
    EXPECT_EQ((one<std::uint32_t>("bfind.u32", 0x00010000u)), 16u);
    EXPECT_EQ((one<std::uint32_t>("bfind.shiftamt.u32", 0x00010000u)), 15u);
    EXPECT_EQ((one<std::uint32_t>("bfind.s32", -1)), 0xffffffffu);
    EXPECT_EQ((one<std::uint32_t>("bfind.s32", -65537)), 16u);
    EXPECT_EQ((one<std::uint32_t>("bfind.u64", std::uint64_t{5} << 40)), 42u);
    EXPECT_EQ((one<std::uint32_t>("brev.b32", 0x00000013u)), 0xc8000000u);
    EXPECT_EQ((one<std::uint64_t>("brev.b64", std::uint64_t{0x13})), 0xc800000000000000u);
}

TEST(Bits, NthSetBit) {
    const std::uint32_t mask = 0x80400108;  // bits 3, 8, 22, 31
    EXPECT_EQ((one<std::uint32_t>("fns.b32", mask, 8u, 0)), 8u);
    EXPECT_EQ((one<std::uint32_t>("fns.b32", mask, 9u, 0)), 0xffffffffu);
    EXPECT_EQ((one<std::uint32_t>("fns.b32", mask, 0u, 1)), 3u);
    EXPECT_EQ((one<std::uint32_t>("fns.b32", mask, 8u, 2)), 22u);
    EXPECT_EQ((one<std::uint32_t>("fns.b32", mask, 30u, -2)), 8u);
    EXPECT_EQ((one<std::uint32_t>("fns.b32", mask, 8u, 4)), 0xffffffffu);
}

TEST(Bits, Masks) {
    EXPECT_EQ((one<std::uint32_t>("bmsk.clamp.b32", 4u, 3u)), 0x70u);
    EXPECT_EQ((one<std::uint32_t>("bmsk.clamp.b32", 0u, 32u)), 0xffffffffu);
    EXPECT_EQ((one<std::uint32_t>("bmsk.wrap.b32", 33u, 2u)), 0x6u);
    EXPECT_EQ((one<std::uint32_t>("bmsk.clamp.b32", 40u, 2u)), 0u);
    EXPECT_EQ((one<std::int32_t>("szext.clamp.s32", 0x1f8, 4u)), -8);
    EXPECT_EQ((one<std::uint32_t>("szext.clamp.u32", 0x1f8u, 4u)), 8u);
    EXPECT_EQ((one<std::uint32_t>("szext.clamp.u32", 0x1f8u, 32u)), 0x1f8u);
}

TEST(Bits, Permutation) {
    const std::uint32_t a = 0x83020100, b = 0x07060504;  // bytes 0 1 2 0x83 4 5 6 7
    EXPECT_EQ((one<std::uint32_t>("prmt.b32", a, b, 0x0123u)), 0x00010283u);
    EXPECT_EQ((one<std::uint32_t>("prmt.b32", a, b, 0x7654u)), b);
    EXPECT_EQ((one<std::uint32_t>("prmt.b32", a, b, 0xb8f3u)),
              0xff000083u);  // signs of 3, 0, 7; byte 3
    EXPECT_EQ((one<std::uint32_t>("prmt.b32.f4e", a, b, 1u)), 0x04830201u);
    EXPECT_EQ((one<std::uint32_t>("prmt.b32.b4e", a, b, 1u)), 0x06070001u);
    EXPECT_EQ((one<std::uint32_t>("prmt.b32.rc8", a, b, 2u)), 0x02020202u);
    EXPECT_EQ((one<std::uint32_t>("prmt.b32.ecl", a, b, 2u)), 0x83020202u);
    EXPECT_EQ((one<std::uint32_t>("prmt.b32.ecr", a, b, 1u)), 0x01010100u);
    EXPECT_EQ((one<std::uint32_t>("prmt.b32.rc16", a, b, 1u)), 0x83028302u);
    // An immediate selector has handlers of its own.
    Machine machine;
    Lanes<std::uint32_t> values, others;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        values[lane] = a * (lane + 1);
        others[lane] = b ^ lane << 13;
    }
    for (const std::uint32_t selector : {0x5410u, 0x3210u, 0x7654u, 0x0246u, 0xb8f3u}) {
        EXPECT_EQ(machine.run<std::uint32_t>("prmt.b32", values, others, literal(selector)),
                  machine.run<std::uint32_t>("prmt.b32", values, others, same(selector)));
    }
    EXPECT_EQ(machine.run<std::uint32_t>("prmt.b32", same(a), same(b), literal(0x5410u))[3],
              0x05040100u);
}

TEST(Move, RegistersAndVectors) {
    Machine machine;
    EXPECT_EQ(machine.run<std::uint64_t>("mov.u64", literal(std::int64_t{-2}))[31],
              ~std::uint64_t{1});
    EXPECT_EQ((one<float>("mov.f32", 1.5f)), 1.5f);
    EXPECT_EQ((one<std::uint16_t>("mov.b16", std::uint16_t{0xabcd})), 0xabcd);
    EXPECT_EQ((one<std::uint64_t>("mov.b64", 0x11112222u, 0x33334444u)), 0x3333444411112222u);
    EXPECT_EQ((one<std::uint32_t>("mov.b32", std::uint16_t{0x1122}, std::uint16_t{0x3344})),
              0x33441122u);
    using H = std::uint16_t;
    EXPECT_EQ((one<std::uint64_t>("mov.b64", H{1}, H{2}, H{3}, H{4})), 0x0004000300020001u);
    machine.run_two("mov.b64", 4, 4, same(std::uint64_t{0x3333444411112222}));
    EXPECT_EQ(machine.destination<std::uint32_t>(0)[5], 0x11112222u);
    EXPECT_EQ(machine.destination<std::uint32_t>(1)[5], 0x33334444u);
    machine.mask = 1;
    machine.run_two("mov.b32", 2, 2, same(0x33441122u));
    EXPECT_EQ(machine.destination<std::uint16_t>(1)[0], 0x3344);
    EXPECT_EQ(machine.destination<std::uint16_t>(1)[1], 0xa5a5);
}

template <class T>
bool holds(const std::string& relation, T a, T b) {
    if (relation == "eq") return a == b;
    if (relation == "ne") return a != b;
    if (relation == "lt") return a < b;
    if (relation == "le") return a <= b;
    if (relation == "gt") return a > b;
    return a >= b;
}

template <class T>
void check_comparisons(const std::string& type) {
    Machine machine;
    for (const std::string relation : {"eq", "ne", "lt", "le", "gt", "ge"}) {
        const std::string instruction = "setp." + relation + "." + type;
        for_pairs(integer_values<T>(), [&](const Lanes<T>& a, const Lanes<T>& b) {
            const std::uint32_t c = 0x0f35a7c1;
            const std::uint32_t plain = machine.test(instruction, a, b);
            const std::uint32_t immediate = machine.test(instruction, a, literal(b[4]));
            const std::uint32_t first = machine.test(instruction, literal(a[4]), b);
            const std::uint32_t with =
                machine.test("setp." + relation + ".and." + type, a, b, Predicate{c, true});
            machine.run_two("setp." + relation + ".xor." + type, 0, 0, a, b, Predicate{c});
            for (int lane = 0; lane < 32; ++lane) {
                const bool expected = holds(relation, a[lane], b[lane]);
                const bool of_c = c >> lane & 1;
                EXPECT_EQ(bool(plain >> lane & 1), expected);
                EXPECT_EQ(bool(immediate >> lane & 1), holds(relation, a[lane], b[4]));
                EXPECT_EQ(bool(first >> lane & 1), holds(relation, a[4], b[lane]));
                EXPECT_EQ(bool(with >> lane & 1), expected && !of_c);
                EXPECT_EQ(bool(machine.predicate(0) >> lane & 1), expected != of_c);
                EXPECT_EQ(bool(machine.predicate(1) >> lane & 1), expected == of_c);
            }
        });
    }
}

TEST(Comparison, Integers) {
    check_comparisons<std::int16_t>("s16");
    check_comparisons<std::uint16_t>("u16");
    check_comparisons<std::int32_t>("s32");
    check_comparisons<std::uint32_t>("u32");
    check_comparisons<std::int64_t>("s64");
    check_comparisons<std::uint64_t>("u64");
}

TEST(Comparison, NamesOfUnsignedRelations) {
    Machine machine;
    const auto a = same(1u), b = same(0xffffffffu);
    EXPECT_EQ(machine.test("setp.lo.u32", a, b), 0xffffffffu);
    EXPECT_EQ(machine.test("setp.ls.u32", b, a), 0u);
    EXPECT_EQ(machine.test("setp.hi.u32", b, a), 0xffffffffu);
    EXPECT_EQ(machine.test("setp.hs.u32", a, a), 0xffffffffu);
    machine.mask = 0xff;
    EXPECT_EQ(machine.test("setp.lo.u32", a, b), 0xa5a5a5ffu);
}

TEST(Comparison, SetAndSelect) {
    EXPECT_EQ((one<std::uint32_t>("set.lt.u32.s32", -1, 1)), 0xffffffffu);
    EXPECT_EQ((one<float>("set.lt.f32.s32", -1, 1)), 1.0f);
    EXPECT_EQ((one<std::uint32_t>("set.gt.u32.f32", 1.0f, 2.0f)), 0u);
    Machine machine;
    const auto chosen = machine.run<std::uint32_t>("selp.b32", same(1u), same(2u), Predicate{0xf0});
    const auto negated =
        machine.run<float>("selp.f32", same(1.0f), literal(2.0f), Predicate{0xf0, true});
    const auto wide = machine.run<std::uint64_t>("selp.b64", same(std::uint64_t{1}),
                                                 same(std::uint64_t{2}), Predicate{0xf0});
    for (int lane = 0; lane < 32; ++lane) {
        const bool is_set = lane >= 4 && lane < 8;
        EXPECT_EQ(chosen[lane], is_set ? 1u : 2u);
        EXPECT_EQ(negated[lane], is_set ? 2.0f : 1.0f);
        EXPECT_EQ(wide[lane], is_set ? 1u : 2u);
    }
    EXPECT_EQ((one<std::uint32_t>("slct.u32.s32", 1u, 2u, 0)), 1u);
    EXPECT_EQ((one<std::uint32_t>("slct.u32.s32", 1u, 2u, -1)), 2u);
    EXPECT_EQ((one<std::uint32_t>("slct.u32.f32", 1u, 2u, -0.0f)), 1u);
    EXPECT_EQ((one<std::uint32_t>("slct.u32.f32", 1u, 2u, f32(0x7fc00000))), 2u);
    EXPECT_EQ((one<std::uint32_t>("slct.ftz.u32.f32", 1u, 2u, f32(0x80000001))), 1u);
    EXPECT_EQ((one<std::uint32_t>("slct.u32.f32", 1u, 2u, f32(0x80000001))), 2u);
}

}  // namespace
}  // namespace arithmetic_test
