// Arithmetic of f32 and f64: rounding modes against exact references, NaN, flushing, limits.
#include <cfenv>
#include <cmath>
#include <cstdint>

#include "arithmetic_machine.hpp"

namespace arithmetic_test {
namespace {

constexpr std::uint32_t canonical_nan = 0x7fffffff;

// An exact value in 128 bits of x87 would not do for all exponents, so directed results are checked by
// what defines them: the nearest value on the wanted side.
enum class Side { nearest, zero, down, up };
constexpr const char* suffixes[] = {".rn", ".rz", ".rm", ".rp"};

float next_below(float x) { return std::nextafter(x, -INFINITY); }
float next_above(float x) { return std::nextafter(x, INFINITY); }

// Whether `result` is the exact value, given as a double that is exact, rounded to the side.
bool is_rounded(double exact, float result, Side side) {
    if (std::isinf(exact)) return result == static_cast<float>(exact);
    const bool is_positive = exact > 0;
    if (side == Side::zero) side = is_positive ? Side::down : Side::up;
    if (side == Side::down) {
        return double{result} <= exact &&
               (double{next_above(result)} > exact || result == INFINITY);
    }
    if (side == Side::up) {
        return double{result} >= exact &&
               (double{next_below(result)} < exact || result == -INFINITY);
    }
    return result == static_cast<float>(exact);
}

// Products of f32 are exact in f64, apart from those below its range, which no f32 product reaches.
TEST(Float, ProductsInAllModes) {
    Machine machine;
    for (int side = 0; side < 4; ++side) {
        for_pairs(float_values(), [&](const Lanes<float>& a, const Lanes<float>& b) {
            const auto result =
                machine.run<float>("mul" + std::string(suffixes[side]) + ".f32", a, b);
            for (int lane = 0; lane < 32; ++lane) {
                const double exact = double{a[lane]} * double{b[lane]};
                if (std::isnan(exact)) {
                    EXPECT_EQ(bits(result[lane]), canonical_nan);
                } else {
                    EXPECT_TRUE(is_rounded(exact, result[lane], Side(side)))
                        << a[lane] << " x " << b[lane] << " = " << result[lane] << suffixes[side];
                }
            }
        });
    }
}

TEST(Float, SumsToNearestAndSpecialValues) {
    Machine machine;
    for_pairs(float_values(), [&](const Lanes<float>& a, const Lanes<float>& b) {
        const auto sum = machine.run<float>("add.f32", a, b);
        const auto difference = machine.run<float>("sub.rn.f32", a, b);
        const auto product = machine.run<float>("mul.f32", a, b);
        const auto fused = machine.run<float>("fma.rn.f32", a, b, a);
        const auto by_immediate = machine.run<float>("fma.rn.f32", a, literal(b[2]), a);
        const auto quotient = machine.run<float>("div.rn.f32", a, b);
        for (int lane = 0; lane < 32; ++lane) {
            const auto expect = [](float expected, float result) {
                EXPECT_EQ(bits(result), std::isnan(expected) ? canonical_nan : bits(expected));
            };
            expect(a[lane] + b[lane], sum[lane]);
            expect(a[lane] - b[lane], difference[lane]);
            expect(a[lane] * b[lane], product[lane]);
            expect(std::fma(a[lane], b[lane], a[lane]), fused[lane]);
            expect(std::fma(a[lane], b[2], a[lane]), by_immediate[lane]);
            expect(a[lane] / b[lane], quotient[lane]);
        }
    });
}

TEST(Float, DirectedSumsAndQuotients) {
    // 1 + 2^-30 lies between 1 and 1 + 2^-23.
    EXPECT_EQ((one<float>("add.rp.f32", 1.0f, 0x1p-30f)), 1 + 0x1p-23f);
    EXPECT_EQ((one<float>("add.rm.f32", 1.0f, 0x1p-30f)), 1.0f);
    EXPECT_EQ((one<float>("add.rz.f32", 1.0f, -0x1p-30f)), 1 - 0x1p-24f);
    EXPECT_EQ((one<float>("add.rn.f32", 1.0f, -0x1p-30f)), 1.0f);
    EXPECT_EQ((one<float>("sub.rp.f32", 1.0f, 0x1p-30f)), 1.0f);
    EXPECT_EQ(bits(one<float>("add.rm.f32", 1.0f, -1.0f)), 0x80000000u);
    EXPECT_EQ((one<float>("fma.rz.f32", 3.0f, 0x1p-2f, 0x1p-40f)), 0.75f);
    EXPECT_EQ((one<float>("fma.rp.f32", 3.0f, 0x1p-2f, 0x1p-40f)), 0.75f + 0x1p-24f);
    EXPECT_EQ((one<double>("add.rp.f64", 1.0, 0x1p-80)), 1 + 0x1p-52);
    EXPECT_EQ((one<double>("fma.rm.f64", 1.0, 1.0, -0x1p-80)), 1 - 0x1p-53);
    EXPECT_EQ((one<float>("div.rz.f32", 1.0f, 3.0f)), f32(0x3eaaaaaa));
    EXPECT_EQ((one<float>("div.rp.f32", 1.0f, 3.0f)), f32(0x3eaaaaab));
    EXPECT_EQ((one<float>("rcp.rm.f32", 3.0f)), f32(0x3eaaaaaa));
    EXPECT_EQ((one<float>("sqrt.rp.f32", 2.0f)), f32(0x3fb504f4));
    EXPECT_EQ((one<float>("sqrt.rz.f32", 2.0f)), f32(0x3fb504f3));
    EXPECT_EQ((one<float>("mul.rz.f32", 0x1.8p127f, 2.0f)), f32(0x7f7fffff));
    EXPECT_EQ((one<float>("mul.rn.f32", 0x1.8p127f, 2.0f)), INFINITY);
    // And the mode of the CPU is what it was.
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(Float, FlushesSubnormalNumbers) {
    const float subnormal = f32(0x00400000), smallest = f32(0x00800000);
    EXPECT_EQ(bits(one<float>("add.f32", subnormal, subnormal)), 0x00800000u);
    EXPECT_EQ(bits(one<float>("add.ftz.f32", subnormal, subnormal)), 0u);
    EXPECT_EQ(bits(one<float>("mul.ftz.f32", -smallest, 0.5f)), 0x80000000u);
    EXPECT_EQ(bits(one<float>("fma.rn.ftz.f32", -subnormal, 1e30f, 0.0f)), 0x00000000u);
    EXPECT_EQ(bits(one<float>("abs.ftz.f32", -subnormal)), 0u);
    EXPECT_EQ(bits(one<float>("neg.ftz.f32", subnormal)), 0x80000000u);
    EXPECT_EQ(bits(one<float>("max.ftz.f32", subnormal, -1.0f)), 0u);
    EXPECT_EQ(bits(one<float>("sqrt.rn.ftz.f32", subnormal)), 0u);
    EXPECT_EQ(bits(one<float>("rcp.rn.ftz.f32", subnormal)), 0x7f800000u);
    EXPECT_EQ(bits(one<float>("rcp.approx.ftz.f32", 0x1p127f)), 0u);
    Machine machine;
    EXPECT_EQ(machine.test("setp.eq.ftz.f32", same(subnormal), same(0.0f)), 0xffffffffu);
    EXPECT_EQ(machine.test("setp.eq.f32", same(subnormal), same(0.0f)), 0u);
}

TEST(Float, Saturates) {
    EXPECT_EQ((one<float>("add.sat.f32", 0.75f, 0.75f)), 1.0f);
    EXPECT_EQ(bits(one<float>("mul.sat.f32", -0.75f, 0.75f)), 0u);
    EXPECT_EQ(bits(one<float>("fma.rn.sat.f32", NAN, 0.75f, 1.0f)), 0u);
    EXPECT_EQ((one<float>("fma.rn.sat.f32", 0.5f, 0.5f, 0.25f)), 0.5f);
}

TEST(Float, Extremes) {
    const float nan = f32(0xffc12345);
    EXPECT_EQ((one<float>("min.f32", nan, 1.0f)), 1.0f);
    EXPECT_EQ((one<float>("max.f32", 1.0f, nan)), 1.0f);
    EXPECT_EQ(bits(one<float>("max.f32", nan, nan)), canonical_nan);
    EXPECT_EQ(bits(one<float>("max.NaN.f32", nan, 1.0f)), canonical_nan);
    EXPECT_EQ(bits(one<float>("min.f32", 0.0f, -0.0f)), 0x80000000u);
    EXPECT_EQ(bits(one<float>("min.f32", -0.0f, 0.0f)), 0x80000000u);
    EXPECT_EQ(bits(one<float>("max.f32", -0.0f, 0.0f)), 0u);
    EXPECT_EQ((one<float>("max.xorsign.abs.f32", -3.0f, 2.0f)), -3.0f);
    EXPECT_EQ((one<float>("min.xorsign.abs.f32", -3.0f, -2.0f)), 2.0f);
    EXPECT_EQ((one<double>("min.f64", -3.0, double{NAN})), -3.0);
    EXPECT_EQ((one<double>("max.f64", -3.0, 2.0)), 2.0);
}

TEST(Float, SignsAndProperties) {
    EXPECT_EQ((one<float>("copysign.f32", -1.0f, 2.0f)), -2.0f);
    EXPECT_EQ((one<double>("copysign.f64", 1.0, -2.0)), 2.0);
    EXPECT_EQ((one<float>("neg.f32", 2.0f)), -2.0f);
    EXPECT_EQ((one<double>("abs.f64", -2.0)), 2.0);
    Machine machine;
    const auto holds = [&](const char* property, float value) {
        return machine.test(std::string("testp.") + property + ".f32", same(value)) == 0xffffffffu;
    };
    EXPECT_TRUE(holds("finite", 1.0f) && !holds("finite", INFINITY) && !holds("finite", NAN));
    EXPECT_TRUE(holds("infinite", -INFINITY) && !holds("infinite", 1.0f));
    EXPECT_TRUE(holds("number", INFINITY) && !holds("number", NAN));
    EXPECT_TRUE(holds("notanumber", NAN) && !holds("notanumber", 0.0f));
    EXPECT_TRUE(holds("normal", 1.0f) && !holds("normal", f32(1)));
    EXPECT_TRUE(holds("subnormal", f32(1)) && !holds("subnormal", 0.0f));
}

TEST(Float, ComparisonsWithNaN) {
    Machine machine;
    struct Case {
        const char* relation;
        bool less, equal, greater, unordered;
    };
    const Case cases[] = {{"eq", 0, 1, 0, 0},  {"ne", 1, 0, 1, 0},  {"lt", 1, 0, 0, 0},
                          {"le", 1, 1, 0, 0},  {"gt", 0, 0, 1, 0},  {"ge", 0, 1, 1, 0},
                          {"equ", 0, 1, 0, 1}, {"neu", 1, 0, 1, 1}, {"ltu", 1, 0, 0, 1},
                          {"leu", 1, 1, 0, 1}, {"gtu", 0, 0, 1, 1}, {"geu", 0, 1, 1, 1},
                          {"num", 1, 1, 1, 0}, {"nan", 0, 0, 0, 1}};
    for (const Case& c : cases) {
        const std::string f32_instruction = std::string("setp.") + c.relation + ".f32";
        const std::string f64_instruction = std::string("setp.") + c.relation + ".f64";
        const std::string combined = std::string("setp.") + c.relation + ".or.f32";
        for_pairs(float_values(), [&](const Lanes<float>& a, const Lanes<float>& b) {
            Lanes<double> wide_a, wide_b;
            std::copy(a.begin(), a.end(), wide_a.begin());
            std::copy(b.begin(), b.end(), wide_b.begin());
            std::uint32_t expected = 0, with_immediate = 0;
            const auto outcome = [&c](float x, float y) -> std::uint32_t {
                return std::isnan(x) || std::isnan(y) ? c.unordered
                       : x < y                        ? c.less
                       : x == y                       ? c.equal
                                                      : c.greater;
            };
            for (int lane = 0; lane < 32; ++lane) {
                expected |= outcome(a[lane], b[lane]) << lane;
                with_immediate |= outcome(a[lane], b[13]) << lane;
            }
            EXPECT_EQ(machine.test(f32_instruction, a, b), expected) << c.relation;
            EXPECT_EQ(machine.test(f32_instruction, a, literal(b[13])), with_immediate)
                << c.relation;
            EXPECT_EQ(machine.test(f64_instruction, wide_a, wide_b), expected) << c.relation;
            EXPECT_EQ(machine.test(combined, a, b, Predicate{0}), expected) << c.relation;
        });
    }
}

// Bounds from the PTX ISA's pages of each instruction.
TEST(Float, ApproximationsAreWithinTheirBounds) {
    for (const float x : {0.1f, 0.7f, 1.0f, 2.5f, -1.3f, 3.0f}) {
        EXPECT_NEAR((one<float>("sin.approx.f32", x)), std::sin(double{x}), 0x1p-20);
        EXPECT_NEAR((one<float>("cos.approx.f32", x)), std::cos(double{x}), 0x1p-20);
        EXPECT_NEAR((one<float>("ex2.approx.f32", x)) / std::exp2(double{x}), 1, 0x1p-22);
        EXPECT_NEAR((one<float>("tanh.approx.f32", x)) / std::tanh(double{x}), 1, 0x1p-11);
    }
    for (const float x : {0.3f, 1.0f, 7.0f, 1e20f, 1e-20f}) {
        EXPECT_NEAR((one<float>("lg2.approx.f32", x)), std::log2(double{x}), 64 * 0x1p-22);
        EXPECT_NEAR((one<float>("rsqrt.approx.f32", x)) * std::sqrt(double{x}), 1, 0x1p-22);
        EXPECT_NEAR((one<double>("rsqrt.approx.f64", double{x})) * std::sqrt(double{x}), 1, 1e-9);
        EXPECT_NEAR((one<float>("rcp.approx.f32", x)) * x, 1, 0x1p-22);
        EXPECT_NEAR((one<float>("div.full.f32", 3.0f, x)) * double{x} / 3, 1, 0x1p-21);
    }
    EXPECT_EQ((one<float>("div.approx.f32", 1.0f, 0x1p127f)), 0.0f);
    EXPECT_EQ((one<float>("div.approx.f32", 1.0f, 0x1p126f)), 0x1p-126f);
    EXPECT_TRUE(std::isnan(one<float>("div.approx.f32", INFINITY, 0x1p127f)));
    EXPECT_EQ((one<float>("ex2.approx.f32", -INFINITY)), 0.0f);
    EXPECT_EQ((one<float>("lg2.approx.f32", 0.0f)), -INFINITY);
    EXPECT_EQ((one<float>("rsqrt.approx.f32", -0.0f)), -INFINITY);
    EXPECT_EQ(bits(one<float>("sqrt.approx.f32", -1.0f)), canonical_nan);
}

}  // namespace
}  // namespace arithmetic_test
