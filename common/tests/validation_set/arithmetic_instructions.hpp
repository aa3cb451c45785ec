// The instructions of arithmetic_outputs. The last letters are the registers of result and sources: H, R,
// L of 16, 32 and 64 bits, F and D floating point.
#pragma once

#include <cmath>

#include "arithmetic_cases.hpp"

namespace arithmetic_outputs {
namespace {

// ---- integers ------------------------------------------------------------------------------------

#define INTEGER_TYPES(OP) \
    OP("s16", H) OP("u16", H) OP("s32", R) OP("u32", R) OP("s64", L) OP("u64", L)
#define INTEGER_ARITHMETIC(type, T)                                                              \
    BINARY("add." type, T, T, T)                                                                 \
    BINARY("sub." type, T, T, T)                                                                 \
    BINARY("mul.lo." type, T, T, T) BINARY("mul.hi." type, T, T, T) BINARY("min." type, T, T, T) \
        BINARY("max." type, T, T, T) BINARY("div." type, T, T, T) BINARY("rem." type, T, T, T)   \
            TERNARY("mad.lo." type, T, T, T, T) TERNARY("mad.hi." type, T, T, T, T)              \
                TERNARY("sad." type, T, T, T, T) COMPARISON("setp.eq." type, T)                  \
                    COMPARISON("setp.ne." type, T) COMPARISON("setp.lt." type, T)                \
                        COMPARISON("setp.le." type, T) COMPARISON("setp.gt." type, T)            \
                            COMPARISON("setp.ge." type, T) BINARY("shr." type, T, T, R)
INTEGER_TYPES(INTEGER_ARITHMETIC)
#define SIGNED_ARITHMETIC(type, T) UNARY("abs." type, T, T) UNARY("neg." type, T, T)
SIGNED_ARITHMETIC("s16", H)
SIGNED_ARITHMETIC("s32", R)
SIGNED_ARITHMETIC("s64", L)
BINARY("mul.wide.s16", R, H, H)
BINARY("mul.wide.u16", R, H, H)
BINARY("mul.wide.s32", L, R, R)
BINARY("mul.wide.u32", L, R, R)
TERNARY("mad.wide.s32", L, R, R, L)
TERNARY("mad.wide.u32", L, R, R, L)
TERNARY("mad.wide.u16", R, H, H, R)
BINARY("add.sat.s32", R, R, R)
BINARY("sub.sat.s32", R, R, R)
TERNARY("mad.hi.sat.s32", R, R, R, R)
BINARY("min.relu.s32", R, R, R)
BINARY("max.relu.s32", R, R, R)
BINARY("mul24.lo.s32", R, R, R)
BINARY("mul24.hi.s32", R, R, R)
BINARY("mul24.lo.u32", R, R, R)
BINARY("mul24.hi.u32", R, R, R)
TERNARY("mad24.lo.s32", R, R, R, R)
TERNARY("dp4a.s32.s32", R, R, R, R)
TERNARY("dp4a.u32.u32", R, R, R, R)
TERNARY("dp4a.s32.u32", R, R, R, R)
TERNARY("dp2a.lo.s32.s32", R, R, R, R)
TERNARY("dp2a.hi.u32.s32", R, R, R, R)
BINARY("add.s16x2", R, R, R)
BINARY("add.u16x2", R, R, R)
BINARY("min.s16x2", R, R, R)
BINARY("max.u16x2", R, R, R)
BINARY("max.relu.s16x2", R, R, R)
CASE_3("add.cc.u32", "{ .reg .u32 t; add.cc.u32 t, %1, %2; addc.u32 %0, %3, t; }", R, R, R, R)
CASE_3("sub.cc.u32", "{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.u32 %0, %3, t; }", R, R, R, R)
CASE_3("add.cc.u64", "{ .reg .u64 t; add.cc.u64 t, %1, %2; addc.u64 %0, %3, t; }", L, L, L, L)
CASE_3("sub.cc.s64", "{ .reg .s64 t; sub.cc.s64 t, %1, %2; subc.s64 %0, %3, t; }", L, L, L, L)
CASE_3("mad.lo.cc.u32", "{ .reg .u32 t; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.u32 %0, %1, %2, t; }",
       R, R, R, R)
CASE_3("madc.hi.cc.s32",
       "{ .reg .u32 t, v; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.cc.s32 v, %1, %2, %3; addc.u32 %0, "
       "v, t; }",
       R, R, R, R)

// ---- logic and bits ------------------------------------------------------------------------------

#define LOGIC(type, T)                                                              \
    BINARY("and." type, T, T, T)                                                    \
    BINARY("or." type, T, T, T)                                                     \
    BINARY("xor." type, T, T, T) UNARY("not." type, T, T) UNARY("cnot." type, T, T) \
        BINARY("shl." type, T, T, R)
LOGIC("b16", H)
LOGIC("b32", R)
LOGIC("b64", L)
TERNARY("shf.l.wrap.b32", R, R, R, R)
TERNARY("shf.r.wrap.b32", R, R, R, R)
TERNARY("shf.l.clamp.b32", R, R, R, R)
TERNARY("shf.r.clamp.b32", R, R, R, R)
CASE_3("lop3.b32 0x96", "lop3.b32 %0, %1, %2, %3, 0x96;", R, R, R, R)
CASE_3("lop3.b32 0xe8", "lop3.b32 %0, %1, %2, %3, 0xe8;", R, R, R, R)
CASE_3("lop3.b32 0x1b", "lop3.b32 %0, %1, %2, %3, 0x1b;", R, R, R, R)
UNARY("popc.b32", R, R)
UNARY("popc.b64", R, L)
UNARY("clz.b32", R, R)
UNARY("clz.b64", R, L)
UNARY("bfind.u32", R, R)
UNARY("bfind.s32", R, R)
UNARY("bfind.u64", R, L)
UNARY("bfind.s64", R, L)
UNARY("bfind.shiftamt.u32", R, R)
UNARY("bfind.shiftamt.s64", R, L)
UNARY("brev.b32", R, R)
UNARY("brev.b64", L, L)
TERNARY("bfe.u32", R, R, R, R)
TERNARY("bfe.s32", R, R, R, R)
TERNARY("bfe.u64", L, L, R, R)
TERNARY("bfe.s64", L, L, R, R)
QUATERNARY("bfi.b32", R, R, R, R, R)
QUATERNARY("bfi.b64", L, L, L, R, R)
TERNARY("fns.b32", R, R, R, R)
BINARY("bmsk.clamp.b32", R, R, R)
BINARY("bmsk.wrap.b32", R, R, R)
BINARY("szext.clamp.s32", R, R, R)
BINARY("szext.wrap.u32", R, R, R)
TERNARY("prmt.b32", R, R, R, R)
TERNARY("prmt.b32.f4e", R, R, R, R)
TERNARY("prmt.b32.b4e", R, R, R, R)
TERNARY("prmt.b32.rc8", R, R, R, R)
TERNARY("prmt.b32.ecl", R, R, R, R)
TERNARY("prmt.b32.ecr", R, R, R, R)
TERNARY("prmt.b32.rc16", R, R, R, R)
TERNARY("slct.u32.s32", R, R, R, R)
TERNARY("slct.u32.f32", R, R, R, F)
TERNARY("slct.ftz.u64.f32", L, L, L, F)
CASE_3("setp.lt.and.s32 p|q",
       "{ .reg .pred p, q, c; .reg .u32 t; setp.gt.u32 c, %3, 9; setp.lt.and.s32 p|q, %1, %2, !c;"
       " selp.u32 t, 1, 0, p; selp.u32 %0, 2, 0, q; or.b32 %0, %0, t; }",
       R, R, R, R)
BINARY("set.lt.u32.s32", R, R, R)
BINARY("set.geu.f32.f32", F, F, F)
CASE_2("mov.b64 of pairs", "{ .reg .u32 l, h; mov.b64 {l, h}, %1; mov.b64 %0, {h, %2}; }", L, L, R)
CASE_2("mov.b32 of pairs", "{ .reg .u16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, %2}; }", R, R, H)

// ---- f32, f64 ------------------------------------------------------------------------------------

#define FLOAT_ARITHMETIC(suffix, T) \
    BINARY("add" suffix, T, T, T) BINARY("sub" suffix, T, T, T) BINARY("mul" suffix, T, T, T)
#define FUSED_AND_DIVIDED(mode, suffix, T) \
    TERNARY("fma" mode suffix, T, T, T, T) \
    BINARY("div" mode suffix, T, T, T)     \
    UNARY("rcp" mode suffix, T, T) UNARY("sqrt" mode suffix, T, T)
#define ALL_MODES(OP, suffix, T) \
    OP(".rn" suffix, T) OP(".rz" suffix, T) OP(".rm" suffix, T) OP(".rp" suffix, T)
ALL_MODES(FLOAT_ARITHMETIC, ".f32", F)
ALL_MODES(FLOAT_ARITHMETIC, ".ftz.f32", F)
ALL_MODES(FLOAT_ARITHMETIC, ".f64", D)
FLOAT_ARITHMETIC(".sat.f32", F)
FLOAT_ARITHMETIC(".rn.ftz.sat.f32", F)
FUSED_AND_DIVIDED(".rn", ".f32", F)
FUSED_AND_DIVIDED(".rz", ".f32", F)
FUSED_AND_DIVIDED(".rm", ".f32", F)
FUSED_AND_DIVIDED(".rp", ".f32", F)
FUSED_AND_DIVIDED(".rn", ".ftz.f32", F)
FUSED_AND_DIVIDED(".rz", ".ftz.f32", F)
FUSED_AND_DIVIDED(".rn", ".f64", D)
FUSED_AND_DIVIDED(".rz", ".f64", D)
FUSED_AND_DIVIDED(".rm", ".f64", D)
FUSED_AND_DIVIDED(".rp", ".f64", D)
TERNARY("fma.rn.sat.f32", F, F, F, F)
BINARY("min.f32", F, F, F)
BINARY("max.f32", F, F, F)
BINARY("min.ftz.f32", F, F, F)
BINARY("max.NaN.f32", F, F, F)
BINARY("min.ftz.NaN.f32", F, F, F)
BINARY("max.xorsign.abs.f32", F, F, F)
BINARY("min.NaN.xorsign.abs.f32", F, F, F)
BINARY("min.f64", D, D, D)
BINARY("max.f64", D, D, D)
UNARY("neg.f32", F, F)
UNARY("abs.f32", F, F)
UNARY("neg.ftz.f32", F, F)
UNARY("abs.ftz.f32", F, F)
UNARY("neg.f64", D, D)
UNARY("abs.f64", D, D)
BINARY("copysign.f32", F, F, F)
BINARY("copysign.f64", D, D, D)
#define TEST_PROPERTY(name, A) \
    CASE_1("testp." name, "{ .reg .pred p; testp." name " p, %1; selp.u32 %0, 1, 0, p; }", R, A)
TEST_PROPERTY("finite.f32", F)
TEST_PROPERTY("infinite.f64", D)
TEST_PROPERTY("number.f32", F)
TEST_PROPERTY("notanumber.f64", D)
TEST_PROPERTY("normal.f32", F)
TEST_PROPERTY("subnormal.f64", D)
#define FLOAT_COMPARISONS(type, T)                                                               \
    COMPARISON("setp.eq." type, T)                                                               \
    COMPARISON("setp.ne." type, T)                                                               \
    COMPARISON("setp.lt." type, T) COMPARISON("setp.le." type, T) COMPARISON("setp.gt." type, T) \
        COMPARISON("setp.ge." type, T) COMPARISON("setp.equ." type, T)                           \
            COMPARISON("setp.neu." type, T) COMPARISON("setp.ltu." type, T)                      \
                COMPARISON("setp.leu." type, T) COMPARISON("setp.gtu." type, T)                  \
                    COMPARISON("setp.geu." type, T) COMPARISON("setp.num." type, T)              \
                        COMPARISON("setp.nan." type, T)
FLOAT_COMPARISONS("f32", F)
FLOAT_COMPARISONS("f64", D)
FLOAT_COMPARISONS("f16", H)
COMPARISON("setp.lt.ftz.f32", F)
COMPARISON("setp.eq.ftz.f32", F)
COMPARISON("setp.lt.bf16", H)

APPROXIMATION("rcp.approx.f32", F, relative, 1 / x)
APPROXIMATION("rcp.approx.ftz.f32", F, relative, 1 / x)
APPROXIMATION("sqrt.approx.f32", F, relative, std::sqrt(x))
APPROXIMATION("rsqrt.approx.f32", F, relative, 1 / std::sqrt(x))
APPROXIMATION("rsqrt.approx.ftz.f32", F, relative, 1 / std::sqrt(x))
APPROXIMATION("sin.approx.f32", F, absolute, std::sin(x))
APPROXIMATION("cos.approx.f32", F, absolute, std::cos(x))
APPROXIMATION("lg2.approx.f32", F, absolute, std::log2(x))
APPROXIMATION("ex2.approx.f32", F, relative, std::exp2(x))
APPROXIMATION("ex2.approx.ftz.f32", F, relative, std::exp2(x))
APPROXIMATION("tanh.approx.f32", F, relative, std::tanh(x))
APPROXIMATION("rcp.approx.ftz.f64", D, relative, 1 / x)
APPROXIMATION("rsqrt.approx.f64", D, relative, 1 / std::sqrt(x))

// ---- f16, bf16 -----------------------------------------------------------------------------------

#define HALF_ARITHMETIC(type, T) \
    BINARY("add" type, T, T, T)  \
    BINARY("sub" type, T, T, T) BINARY("mul" type, T, T, T) TERNARY("fma.rn" type, T, T, T, T)
#define HALF_EXTREMES(type, T)                                              \
    BINARY("min" type, T, T, T)                                             \
    BINARY("max" type, T, T, T)                                             \
    BINARY("min.NaN" type, T, T, T) BINARY("max.xorsign.abs" type, T, T, T) \
        UNARY("neg" type, T, T) UNARY("abs" type, T, T)
HALF_ARITHMETIC(".f16", H)
HALF_ARITHMETIC(".f16x2", R)
HALF_ARITHMETIC(".ftz.f16", H)
HALF_ARITHMETIC(".sat.f16x2", R)
HALF_ARITHMETIC(".bf16", H)
HALF_ARITHMETIC(".bf16x2", R)
HALF_EXTREMES(".f16", H)
HALF_EXTREMES(".f16x2", R)
HALF_EXTREMES(".bf16", H)
HALF_EXTREMES(".bf16x2", R)
TERNARY("fma.rn.relu.f16", H, H, H, H)
TERNARY("fma.rn.relu.bf16x2", R, R, R, R)

// ---- conversions ---------------------------------------------------------------------------------

#define TO_INTEGER(source, S)                                                                 \
    UNARY("cvt.rni.s32." source, R, S)                                                        \
    UNARY("cvt.rzi.s32." source, R, S)                                                        \
    UNARY("cvt.rmi.s32." source, R, S) UNARY("cvt.rpi.s32." source, R, S)                     \
        UNARY("cvt.rni.u32." source, R, S) UNARY("cvt.rzi.u32." source, R, S)                 \
            UNARY("cvt.rmi.s64." source, L, S) UNARY("cvt.rzi.s64." source, L, S) UNARY(      \
                "cvt.rpi.u64." source, L, S) UNARY("cvt.rzi.u64." source, L, S)               \
                UNARY("cvt.rzi.s16." source, H, S) UNARY("cvt.rni.u16." source, H, S) CASE_1( \
                    "cvt.rzi.u8." source,                                                     \
                    "{ .reg .u16 t; cvt.rzi.u8." source " t, %1; mov.b16 %0, t; }", H, S)     \
                    CASE_1("cvt.rzi.s8." source,                                              \
                           "{ .reg .u16 t; cvt.rzi.s8." source " t, %1; mov.b16 %0, t; }", H, S)
TO_INTEGER("f32", F)
TO_INTEGER("f64", D)
TO_INTEGER("f16", H)
#define FROM_INTEGER(source, S)                                             \
    UNARY("cvt.rn.f32." source, F, S)                                       \
    UNARY("cvt.rz.f32." source, F, S)                                       \
    UNARY("cvt.rm.f32." source, F, S) UNARY("cvt.rp.f32." source, F, S)     \
        UNARY("cvt.rn.f64." source, D, S) UNARY("cvt.rn.f16." source, H, S) \
            UNARY("cvt.rz.f16." source, H, S)
INTEGER_TYPES(FROM_INTEGER)
UNARY("cvt.rz.f64.s64", D, L)
UNARY("cvt.rp.f64.u64", D, L)
CASE_1("cvt.rn.f32.u8", "{ .reg .u16 t; mov.b16 t, %1; cvt.rn.f32.u8 %0, t; }", F, H)
CASE_1("cvt.rn.f32.s8", "{ .reg .u16 t; mov.b16 t, %1; cvt.rn.f32.s8 %0, t; }", F, H)
#define FLOAT_TO_FLOAT(mode)           \
    UNARY("cvt" mode ".f32.f64", F, D) \
    UNARY("cvt" mode ".f16.f32", H, F) UNARY("cvt" mode ".f16.f64", H, D)
FLOAT_TO_FLOAT(".rn")
FLOAT_TO_FLOAT(".rz")
FLOAT_TO_FLOAT(".rm")
FLOAT_TO_FLOAT(".rp")
UNARY("cvt.rn.ftz.f32.f64", F, D)
UNARY("cvt.rn.sat.f32.f64", F, D)
UNARY("cvt.f64.f32", D, F)
UNARY("cvt.ftz.f64.f32", D, F)
UNARY("cvt.f32.f16", F, H)
UNARY("cvt.f64.f16", D, H)
UNARY("cvt.f32.bf16", F, H)
UNARY("cvt.rn.bf16.f32", H, F)
UNARY("cvt.rz.bf16.f32", H, F)
UNARY("cvt.rn.relu.bf16.f32", H, F)
UNARY("cvt.rn.relu.f16.f32", H, F)
BINARY("cvt.rn.f16x2.f32", R, F, F)
BINARY("cvt.rz.f16x2.f32", R, F, F)
BINARY("cvt.rn.relu.f16x2.f32", R, F, F)
BINARY("cvt.rn.bf16x2.f32", R, F, F)
BINARY("cvt.rz.relu.bf16x2.f32", R, F, F)
UNARY("cvt.rna.tf32.f32", R, F)
BINARY("cvt.rn.satfinite.e4m3x2.f32", H, F, F)
BINARY("cvt.rn.satfinite.e5m2x2.f32", H, F, F)
UNARY("cvt.rn.f16x2.e4m3x2", R, H)
UNARY("cvt.rn.f16x2.e5m2x2", R, H)
UNARY("cvt.rn.satfinite.e4m3x2.f16x2", H, R)
#define ROUND_TO_WHOLE(mode)           \
    UNARY("cvt" mode ".f32.f32", F, F) \
    UNARY("cvt" mode ".f64.f64", D, D) UNARY("cvt" mode ".f16.f16", H, H)
ROUND_TO_WHOLE(".rni")
ROUND_TO_WHOLE(".rzi")
ROUND_TO_WHOLE(".rmi")
ROUND_TO_WHOLE(".rpi")
UNARY("cvt.rni.ftz.f32.f32", F, F)
UNARY("cvt.rpi.ftz.s32.f32", R, F)
UNARY("cvt.rmi.ftz.s64.f32", L, F)
UNARY("cvt.sat.f32.f32", F, F)
UNARY("cvt.ftz.sat.f32.f32", F, F)
UNARY("cvt.s64.s32", L, R)
UNARY("cvt.u64.u32", L, R)
UNARY("cvt.u32.u64", R, L)
UNARY("cvt.s32.s16", R, H)
UNARY("cvt.u32.u16", R, H)
UNARY("cvt.u16.u32", H, R)
UNARY("cvt.s32.s8", R, R)
UNARY("cvt.u32.u8", R, R)
UNARY("cvt.s64.s8", L, L)
UNARY("cvt.s16.s8", H, H)
UNARY("cvt.sat.s32.s64", R, L)
UNARY("cvt.sat.u32.s64", R, L)
UNARY("cvt.sat.s16.u32", H, R)
UNARY("cvt.sat.u16.s32", H, R)
CASE_1("cvt.sat.u8.s32", "{ .reg .u16 t; cvt.sat.u8.s32 t, %1; mov.b16 %0, t; }", H, R)
CASE_1("cvt.sat.s8.s32", "{ .reg .u16 t; cvt.sat.s8.s32 t, %1; mov.b16 %0, t; }", H, R)
CASE_1("cvt.s8.s32", "{ .reg .u32 t; cvt.s8.s32 t, %1; mov.b32 %0, t; }", R, R)
BINARY("cvt.pack.sat.u16.s32", R, R, R)
BINARY("cvt.pack.sat.s16.s32", R, R, R)
TERNARY("cvt.pack.sat.u8.s32.b32", R, R, R, R)
TERNARY("cvt.pack.sat.s8.s32.b32", R, R, R, R)

}  // namespace
}  // namespace arithmetic_outputs
