// cvt of all pairs of types, and arithmetic of f16 and bf16 against the compiler's half and exact references.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "arithmetic_machine.hpp"

namespace arithmetic_test {
namespace {

TEST(Conversion, BetweenIntegers) {
    EXPECT_EQ((one<std::uint64_t>("cvt.s64.s32", -5)), std::uint64_t(-5));
    EXPECT_EQ((one<std::uint64_t>("cvt.u64.u32", -5)), 0xfffffffbu);
    EXPECT_EQ((one<std::uint32_t>("cvt.u32.u64", std::uint64_t{0x123456789abcdef0})), 0x9abcdef0u);
    EXPECT_EQ((one<std::uint32_t>("cvt.u32.u16", std::uint16_t{0xfff0})), 0xfff0u);
    EXPECT_EQ((one<std::uint32_t>("cvt.s32.s16", std::uint16_t{0xfff0})), 0xfffffff0u);
    EXPECT_EQ((one<std::uint16_t>("cvt.u16.u32", 0x12345678u)), 0x5678);
    // Of sources in wider registers the lower part counts.
    EXPECT_EQ((one<std::uint32_t>("cvt.s32.s8", 0x12345680u)), 0xffffff80u);
    EXPECT_EQ((one<std::uint32_t>("cvt.u32.u8", 0x12345680u)), 0x80u);
    EXPECT_EQ((one<std::uint64_t>("cvt.s64.s8", std::uint16_t{0x80})), ~std::uint64_t{0x7f});
    // Destinations in wider registers are extended.
    EXPECT_EQ((one<std::uint16_t>("cvt.s8.s32", 0x1234ff85)), 0xff85);
    EXPECT_EQ((one<std::uint16_t>("cvt.u8.u32", 0x1234ff85u)), 0x0085);
    EXPECT_EQ((one<std::uint32_t>("cvt.u16.u32", 0x1234ff85u)), 0xff85u);
    EXPECT_EQ((one<std::uint32_t>("cvt.s16.s32", 0x1234ff85)), 0xffffff85u);
}

TEST(Conversion, SaturationOfIntegers) {
    EXPECT_EQ((one<std::uint16_t>("cvt.sat.u8.s32", 300)), 255);
    EXPECT_EQ((one<std::uint16_t>("cvt.sat.u8.s32", -300)), 0);
    EXPECT_EQ((one<std::uint16_t>("cvt.sat.s8.s32", -300)), 0xff80);
    EXPECT_EQ((one<std::uint32_t>("cvt.sat.s32.u64", ~std::uint64_t{0})), 0x7fffffffu);
    EXPECT_EQ((one<std::uint32_t>("cvt.sat.u32.s64", std::int64_t{-1})), 0u);
    EXPECT_EQ((one<std::uint64_t>("cvt.sat.s64.u64", ~std::uint64_t{0})), 0x7fffffffffffffffu);
    EXPECT_EQ((one<std::uint32_t>("cvt.pack.sat.u16.s32", 70000, -5)), 0xffff0000u);
    EXPECT_EQ((one<std::uint32_t>("cvt.pack.sat.s8.s32.b32", 200, -200, 0xabcd1234u)), 0x12347f80u);
}

template <class I, class T>
void check_to_integer(const std::string& type, const std::string& source) {
    Machine machine;
    const auto floats = float_values();
    for (const char* const mode : {"rni", "rzi", "rmi", "rpi"}) {
        for (std::size_t at = 0; at < floats.size(); at += 32) {
            Lanes<T> a;
            for (std::size_t lane = 0; lane < 32; ++lane) {
                a[lane] = floats[(at + lane) % floats.size()];
                if (lane % 3 == 0) a[lane] = std::ldexp(T(1.7 + lane), int(lane) * 2);
                if (lane % 7 == 0) a[lane] = T(lane) / 2 - T(7.5);
            }
            const auto result =
                machine.run<I>(std::string("cvt.") + mode + "." + type + "." + source, a);
            for (int lane = 0; lane < 32; ++lane) {
                const long double exact = mode[1] == 'n'   ? std::nearbyint((long double)a[lane])
                                          : mode[1] == 'z' ? std::trunc((long double)a[lane])
                                          : mode[1] == 'm' ? std::floor((long double)a[lane])
                                                           : std::ceil((long double)a[lane]);
                const long double most = std::numeric_limits<I>::max(),
                                  least = std::numeric_limits<I>::min();
                // PTX ISA, cvt: NaN makes 0 unless f64 or 64 bits take part.
                const I of_nan = sizeof(T) == 8 || sizeof(I) == 8
                                     ? I(std::make_unsigned_t<I>(1) << (8 * sizeof(I) - 1))
                                     : I(0);
                const I expected = std::isnan(exact) ? of_nan : I(std::clamp(exact, least, most));
                EXPECT_EQ(result[lane], expected) << mode << type << a[lane];
            }
        }
    }
}

TEST(Conversion, FloatToInteger) {
    check_to_integer<std::int32_t, float>("s32", "f32");
    check_to_integer<std::uint32_t, float>("u32", "f32");
    check_to_integer<std::int64_t, float>("s64", "f32");
    check_to_integer<std::uint64_t, float>("u64", "f32");
    check_to_integer<std::int32_t, double>("s32", "f64");
    check_to_integer<std::uint32_t, double>("u32", "f64");
    check_to_integer<std::int64_t, double>("s64", "f64");
    check_to_integer<std::uint64_t, double>("u64", "f64");
    check_to_integer<std::int16_t, float>("s16", "f32");
    check_to_integer<std::uint16_t, double>("u16", "f64");
    EXPECT_EQ((one<std::uint16_t>("cvt.rzi.u8.f32", 300.0f)), 255);
    EXPECT_EQ((one<std::uint32_t>("cvt.rzi.s8.f32", -300.0f)), 0xffffff80u);
    EXPECT_EQ((one<std::int32_t>("cvt.rpi.s32.f32", f32(1))), 1);
    EXPECT_EQ((one<std::int32_t>("cvt.rpi.ftz.s32.f32", f32(1))), 0);
}

TEST(Conversion, IntegerToFloat) {
    EXPECT_EQ((one<float>("cvt.rn.f32.s32", INT32_MAX)), 0x1p31f);
    EXPECT_EQ((one<float>("cvt.rz.f32.s32", INT32_MAX)), f32(0x4effffff));
    EXPECT_EQ((one<float>("cvt.rn.f32.u32", 0xffffff80u)), 0x1p32f);  // a tie, to even
    EXPECT_EQ((one<float>("cvt.rn.f32.u32", 0xffffff7fu)), f32(0x4f7fffff));
    EXPECT_EQ((one<float>("cvt.rp.f32.u64", (std::uint64_t{1} << 60) + 1)), f32(0x5d800001));
    EXPECT_EQ((one<float>("cvt.rn.f32.u64", ~std::uint64_t{0})), 0x1p64f);
    EXPECT_EQ((one<float>("cvt.rn.f32.s64", std::int64_t{-1} << 40)), -0x1p40f);
    EXPECT_EQ((one<double>("cvt.rn.f64.u64", ~std::uint64_t{0})), 0x1p64);
    EXPECT_EQ((one<double>("cvt.rz.f64.u64", ~std::uint64_t{0})), 0x1p64 - 2048);
    EXPECT_EQ((one<double>("cvt.rn.f64.s32", -7)), -7.0);
    EXPECT_EQ((one<float>("cvt.rn.f32.u8", std::uint16_t{0x1ff})), 255.0f);
    EXPECT_EQ((one<float>("cvt.rn.f32.s8", 0x000000ffu)), -1.0f);
    Machine machine;
    for (std::uint64_t step = 0; step < 2000; ++step) {
        Lanes<std::uint32_t> a;
        for (std::uint64_t lane = 0; lane < 32; ++lane) {
            a[lane] = static_cast<std::uint32_t>((step * 32 + lane) * 0x9e3779b97f4a7c15u >> 31);
        }
        const auto unsigned_result = machine.run<float>("cvt.rn.f32.u32", a);
        const auto signed_result = machine.run<float>("cvt.rn.f32.s32", a);
        for (int lane = 0; lane < 32; ++lane) {
            EXPECT_EQ(unsigned_result[lane], static_cast<float>(double(a[lane])));
            EXPECT_EQ(signed_result[lane], static_cast<float>(double(std::int32_t(a[lane]))));
        }
    }
}

TEST(Conversion, BetweenFloats) {
    EXPECT_EQ((one<double>("cvt.f64.f32", 1.5f)), 1.5);
    EXPECT_EQ((one<float>("cvt.rn.f32.f64", 1 + 0x1p-24)), 1.0f);
    EXPECT_EQ((one<float>("cvt.rp.f32.f64", 1 + 0x1p-24)), 1 + 0x1p-23f);
    EXPECT_EQ((one<float>("cvt.rz.f32.f64", 1e300)), std::numeric_limits<float>::max());
    EXPECT_EQ((one<float>("cvt.rni.f32.f32", 2.5f)), 2.0f);
    EXPECT_EQ((one<float>("cvt.rpi.f32.f32", 2.5f)), 3.0f);
    EXPECT_EQ((one<double>("cvt.rmi.f64.f64", -2.5)), -3.0);
    EXPECT_EQ(bits(one<float>("cvt.rzi.f32.f32", -0.5f)), 0x80000000u);
    EXPECT_EQ((one<float>("cvt.sat.f32.f32", 1.5f)), 1.0f);
    EXPECT_EQ((one<float>("cvt.ftz.f32.f32", f32(1))), 0.0f);
    // tf32 has 10 bits of fraction.
    EXPECT_EQ((one<std::uint32_t>("cvt.rna.tf32.f32", f32(0x3f801000))), 0x3f802000u);
    EXPECT_EQ((one<std::uint32_t>("cvt.rn.tf32.f32", f32(0x3f801000))), 0x3f800000u);
}

TEST(Conversion, Bytes) {
    // e4m3: 448 is the largest, 2^-9 the smallest; e5m2: 57344 and 2^-16.
    EXPECT_EQ((one<std::uint16_t>("cvt.rn.satfinite.e4m3x2.f32", 1.0f, -448.0f)), 0x38fe);
    EXPECT_EQ((one<std::uint16_t>("cvt.rn.satfinite.e4m3x2.f32", 1e9f, 0x1p-9f)), 0x7e01);
    EXPECT_EQ((one<std::uint16_t>("cvt.rn.satfinite.e5m2x2.f32", INFINITY, 0x1p-16f)), 0x7b01);
    EXPECT_EQ((one<std::uint16_t>("cvt.rn.satfinite.e4m3x2.f32", NAN, 1.0625f)),
              0x7f38);  // a tie, to even
    EXPECT_EQ((one<std::uint32_t>("cvt.rn.f16x2.e4m3x2", std::uint16_t{0x38fe})), 0x3c00df00u);
    EXPECT_EQ((one<std::uint32_t>("cvt.rn.f16x2.e5m2x2", std::uint16_t{0x7c01})), 0x7c000100u);
}

#ifdef __FLT16_MAX__
#ifdef __aarch64__
using HostHalf = __fp16;  // before GCC 13, C++ for ARM has no _Float16
#else
using HostHalf = _Float16;
#endif
std::uint16_t bits16(HostHalf value) { return std::bit_cast<std::uint16_t>(value); }
HostHalf half(std::uint16_t value) { return std::bit_cast<HostHalf>(value); }

TEST(Half, AllValuesThereAndBack) {
    Machine machine;
    for (std::uint32_t first = 0; first < 0x10000; first += 32) {
        Lanes<std::uint16_t> a;
        for (std::uint32_t lane = 0; lane < 32; ++lane)
            a[lane] = static_cast<std::uint16_t>(first + lane);
        const auto wide = machine.run<float>("cvt.f32.f16", a);
        const auto back = machine.run<std::uint16_t>("cvt.rn.f16.f32", wide);
        const auto whole = machine.run<std::uint16_t>("cvt.rzi.s16.f16", a);
        for (int lane = 0; lane < 32; ++lane) {
            const auto expected = static_cast<float>(half(a[lane]));
            if (std::isnan(expected)) {
                EXPECT_TRUE(std::isnan(wide[lane]));
                EXPECT_EQ(back[lane], 0x7fff);
                EXPECT_EQ(whole[lane], 0);
            } else {
                EXPECT_EQ(bits(wide[lane]), bits(expected));
                EXPECT_EQ(back[lane], a[lane]);
                EXPECT_EQ(std::int16_t(whole[lane]),
                          std::int16_t(std::clamp(expected, -32768.0f, 32767.0f)));
            }
        }
    }
}

TEST(Half, RoundingFromFloat) {
    Machine machine;
    for (std::uint64_t step = 0; step < 4000; ++step) {
        Lanes<float> a;
        for (std::uint64_t lane = 0; lane < 32; ++lane) {
            const std::uint64_t random = (step * 32 + lane + 1) * 0x9e3779b97f4a7c15u >> 24;
            // Around the exponents of halves, and at ties.
            const auto exponent = static_cast<std::uint32_t>(100 + random % 48);
            const auto fraction =
                static_cast<std::uint32_t>(random >> 8 & 0x7fffff) & (lane & 1 ? 0x7ff000 : ~0u);
            a[lane] =
                f32(static_cast<std::uint32_t>(random >> 39 & 1) << 31 | exponent << 23 | fraction);
        }
        const auto nearest = machine.run<std::uint16_t>("cvt.rn.f16.f32", a);
        const auto down = machine.run<std::uint16_t>("cvt.rm.f16.f32", a);
        const auto cut = machine.run<std::uint16_t>("cvt.rz.f16.f32", a);
        const auto pair = machine.run<std::uint32_t>("cvt.rn.f16x2.f32", a, literal(1.0f));
        for (int lane = 0; lane < 32; ++lane) {
            EXPECT_EQ(nearest[lane], bits16(static_cast<HostHalf>(a[lane])));
            EXPECT_EQ(pair[lane], std::uint32_t{nearest[lane]} << 16 | 0x3c00);
            EXPECT_LE(static_cast<float>(half(down[lane])), a[lane]);
            EXPECT_LE(std::fabs(static_cast<float>(half(cut[lane]))), std::fabs(a[lane]));
            // The neighbour is on the other side.
            EXPECT_GT(static_cast<float>(half(cut[lane] + 1)) * (a[lane] < 0 ? -1 : 1),
                      std::fabs(a[lane]));
        }
    }
}

// All first operands, with second ones of all exponents.
TEST(Half, Arithmetic) {
    Machine machine;
    for (std::uint32_t first = 0; first < 0x10000; first += 32) {
        for (const std::uint32_t salt : {0x1234u, 0x9e37u, 0xc0deu}) {
            Lanes<std::uint16_t> a, b, c;
            for (std::uint32_t lane = 0; lane < 32; ++lane) {
                a[lane] = static_cast<std::uint16_t>(first + lane);
                b[lane] = static_cast<std::uint16_t>((first + lane) * salt ^ salt >> 3);
                c[lane] = static_cast<std::uint16_t>((first + lane * 7) * (salt + 2) + lane);
            }
            const auto sum = machine.run<std::uint16_t>("add.f16", a, b);
            const auto product = machine.run<std::uint16_t>("mul.rn.f16", a, b);
            const auto fused = machine.run<std::uint16_t>("fma.rn.f16", a, b, c);
            for (int lane = 0; lane < 32; ++lane) {
                const double x = half(a[lane]), y = half(b[lane]), z = half(c[lane]);
                const auto expect = [](double exact, std::uint16_t result, const char* what) {
                    const auto rounded = static_cast<HostHalf>(exact);
                    EXPECT_EQ(result, std::isnan(exact) ? 0x7fff : bits16(rounded))
                        << what << exact;
                };
                expect(x + y, sum[lane], "sum ");
                expect(x * y, product[lane], "product ");
                // Exact in f64 unless 2^-24 meets what overflows.
                expect(x * y + z, fused[lane], "fma ");
            }
        }
    }
}

// 1 - 2^-20 from (1 + 2^-10) (1 - 2^-10), near the middle between two halves: rounding to f32 first is wrong.
TEST(Half, FusedSumsAreRoundedOnce) {
    const auto fused = [](std::uint16_t c) {
        return one<std::uint16_t>("fma.rn.f16", std::uint16_t{0x3c01}, std::uint16_t{0x3bfe}, c);
    };
    EXPECT_EQ(fused(0x6801), 0x6801);  // 2051 - 2^-20 to 2050, not to the even 2052
    EXPECT_EQ(fused(0xe801), 0xe801);  // -2049 - 2^-20 to -2050, not to the even -2048
}

TEST(Half, PairsAndChanges) {
    const auto pair = [](float low, float high) {
        return std::uint32_t{bits16(HostHalf(low))} | std::uint32_t{bits16(HostHalf(high))} << 16;
    };
    EXPECT_EQ((one<std::uint32_t>("add.f16x2", pair(1, 2), pair(0.5, -4))), pair(1.5, -2));
    EXPECT_EQ((one<std::uint32_t>("fma.rn.relu.f16x2", pair(1, 2), pair(3, -4), pair(1, 1))),
              pair(4, 0));
    EXPECT_EQ((one<std::uint32_t>("mul.sat.f16x2", pair(2, 2), pair(3, -4))), pair(1, 0));
    EXPECT_EQ((one<std::uint32_t>("max.f16x2", pair(2, -2), pair(3, -4))), pair(3, -2));
    EXPECT_EQ((one<std::uint32_t>("neg.f16x2", pair(2, -2))), pair(-2, 2));
    EXPECT_EQ((one<std::uint16_t>("min.NaN.f16", std::uint16_t{0x7e00}, std::uint16_t{0})), 0x7fff);
    EXPECT_EQ((one<std::uint16_t>("min.f16", std::uint16_t{0x7e00}, std::uint16_t{0x3c00})),
              0x3c00);
    EXPECT_EQ((one<std::uint16_t>("add.ftz.f16", std::uint16_t{1}, std::uint16_t{1})), 0);
    Machine machine;
    EXPECT_EQ(machine.test("setp.lt.f16", same(bits16(HostHalf(1))), same(bits16(HostHalf(2)))),
              0xffffffffu);
    EXPECT_EQ(machine.test("setp.gtu.f16", same(std::uint16_t{0x7e00}), same(std::uint16_t{0})),
              0xffffffffu);
}
#endif

// Rounding of an exact f64 to bf16 by comparison with both neighbours.
std::uint16_t nearest_brain_half(double exact) {
    if (std::isnan(exact)) return 0x7fff;
    const std::uint16_t sign = std::signbit(exact) ? 0x8000 : 0;
    const double magnitude = std::fabs(exact);
    std::uint16_t low = 0, high = 0x7f80;  // by their order the patterns are sorted
    const auto value = [](std::uint16_t pattern) {
        return pattern == 0x7f80 ? 0x1p128 : double{f32(std::uint32_t{pattern} << 16)};
    };
    while (high - low > 1) {
        const auto middle = static_cast<std::uint16_t>((low + high) / 2);
        (value(middle) <= magnitude ? low : high) = middle;
    }
    const double below = magnitude - value(low), above = value(high) - magnitude;
    const bool up = above < below || (above == below && low & 1);
    return static_cast<std::uint16_t>((up ? high : low) | sign);
}

// The exponent of zero is the least of all ints, or next to it: their difference is no int.
bool have_near_exponents(double x, double y) {
    return std::fabs(static_cast<double>(std::ilogb(x)) - std::ilogb(y)) < 20;
}

TEST(BrainHalf, Arithmetic) {
    Machine machine;
    EXPECT_EQ((one<float>("cvt.f32.bf16", std::uint16_t{0x3fc0})), 1.5f);
    for (std::uint32_t first = 0; first < 0x10000; first += 32) {
        Lanes<std::uint16_t> a, b, c;
        Lanes<float> wide;
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            a[lane] = static_cast<std::uint16_t>(first + lane);
            b[lane] = static_cast<std::uint16_t>((first + lane) * 0x9e37u >> 3);
            // Of like magnitude as the product, so that the sum rounds.
            const float product =
                f32(std::uint32_t{a[lane]} << 16) * f32(std::uint32_t{b[lane]} << 16);
            c[lane] = static_cast<std::uint16_t>((bits(product) >> 16) ^ (lane * 0x83));
            wide[lane] = f32((first + lane) * 0x10001u + lane * 0x777u);
        }
        const auto sum = machine.run<std::uint16_t>("add.rn.bf16", a, b);
        const auto product = machine.run<std::uint16_t>("mul.rn.bf16", a, b);
        const auto fused = machine.run<std::uint16_t>("fma.rn.bf16", a, b, c);
        const auto narrowed = machine.run<std::uint16_t>("cvt.rn.bf16.f32", wide);
        for (int lane = 0; lane < 32; ++lane) {
            const double x = f32(std::uint32_t{a[lane]} << 16),
                         y = f32(std::uint32_t{b[lane]} << 16);
            const double z = f32(std::uint32_t{c[lane]} << 16);
            EXPECT_EQ(product[lane], nearest_brain_half(x * y)) << x << " x " << y;
            // Exact in the 64 bits of a long double where exponents are near each other.
            const double exact = x * y + z;
            if (have_near_exponents(x * y, z)) {
                EXPECT_EQ(fused[lane], nearest_brain_half(exact)) << x << " x " << y << " + " << z;
            }
            if (have_near_exponents(x, y)) {
                EXPECT_EQ(sum[lane], nearest_brain_half(x + y)) << x << " + " << y;
            }
            EXPECT_EQ(narrowed[lane], nearest_brain_half(wide[lane]));
        }
    }
    // A sum that lies just above a tie, by far too little for f64: 1 + 2^-8 + 2^-133 rounds up.
    EXPECT_EQ((one<std::uint16_t>("fma.rn.bf16", std::uint16_t{0x3f80}, std::uint16_t{0x3f81},
                                  std::uint16_t{0x0001})),
              0x3f81);
    // (1 + 2^-7)(1 + 2^-7) = 1 + 2^-6 + 2^-14
    EXPECT_EQ((one<std::uint16_t>("mul.rn.bf16", std::uint16_t{0x3f81}, std::uint16_t{0x3f81})),
              0x3f82);
}

}  // namespace
}  // namespace arithmetic_test
