// div, rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh of f32 and f64.
//
// Results that PTX defines to the bit are computed so. Approximations are computed with more precision and
// rounded: their error is below the one that the PTX ISA allows, but their last bits need not be a GPU's.
#include <cmath>

#include "emulator/simt/alu/values/approximations.hpp"
#include "emulator/simt/alu/values/float_values.hpp"

namespace emulator::simt {

namespace {

template <bool ftz>
struct Divide {
    template <class T>
    T operator()(T a, T b) const {
        return finish<ftz, false>(or_nan_of(a, with_made_nan(flush<ftz>(a) / flush<ftz>(b), a, b)));
    }
};

// A divisor above 2^126 makes 0 (or NaN of an infinite dividend).
template <bool ftz>
struct DivideApproximately {
    float operator()(float a, float b) const {
        const float magnitude = __builtin_fabsf(b);
        const float quotient = Divide<ftz>{}(a, b);
        const bool is_too_large = magnitude > 0x1p126f && magnitude < INFINITY;
        const bool is_infinite = __builtin_fabsf(a) == INFINITY;
        const float of_large =
            is_infinite ? float_of(canonical_nan_bits) : std::copysign(0.0f, quotient);
        return is_too_large && a == a ? of_large : quotient;
    }
};

template <bool ftz>
struct Reciprocal {
    template <class T>
    T operator()(T a) const {
        return Divide<ftz>{}(T(1), a);
    }
};

template <bool ftz>
struct SquareRoot {
    float operator()(float a) const { return finish<ftz, false>(__builtin_sqrtf(flush<ftz>(a))); }
    double operator()(double a) const { return with_made_nan(__builtin_sqrt(a), a); }
};

template <bool ftz>
struct ReciprocalRoot {
    float operator()(float a) const {
        return finish<ftz, false>(static_cast<float>(1.0 / __builtin_sqrt(double{flush<ftz>(a)})));
    }
    double operator()(double a) const { return 1.0 / __builtin_sqrt(a); }
};

// .approx.ftz.f64 keep the upper word of their operand and result alone, and flush both. NaN has one
// pattern (found on an H200).
double upper_word(double value) {
    const std::uint64_t bits = bits_of(value);
    const bool is_subnormal = (bits & 0x7ff0000000000000u) == 0;
    return std::bit_cast<double>(bits & (is_subnormal ? 0x8000000000000000u : 0xffffffff00000000u));
}
template <template <bool> class F>
struct UpperWord {
    double operator()(double a) const {
        const double result = upper_word(F<false>{}(upper_word(a)));
        return result == result ? result : std::bit_cast<double>(0x7fffffff00000000u);
    }
};

template <double (*function)(double), bool ftz>
struct Function {
    float operator()(float a) const {
        return finish<ftz, false>(static_cast<float>(function(flush<ftz>(a))));
    }
};

template <double (*function)(double)>
Handler find_function(const Form& form) {
    if (form.type() != "f32" || !form.only({"approx", "ftz"})) return nullptr;
    return form.has("ftz") ? pick_rare<Function<function, true>, float, float>(form)
                           : pick_rare<Function<function, false>, float, float>(form);
}

template <class F, class T, class... A>
Handler rounded(const Form& form) {
    if (!fits<T, Either<A>...>(form)) return nullptr;
    if (form.has("rz")) return with_rounding<map<F, T, Either<A>...>, Rounding::zero>;
    if (form.has("rm")) return with_rounding<map<F, T, Either<A>...>, Rounding::down>;
    if (form.has("rp")) return with_rounding<map<F, T, Either<A>...>, Rounding::up>;
    return map<F, T, Either<A>...>;
}

Handler find_division(const Form& form) {
    if (!form.only({"rn", "rz", "rm", "rp", "approx", "full", "ftz"})) return nullptr;
    const bool ftz = form.has("ftz");
    if (form.type() == "f64") return rounded<Divide<false>, double, double, double>(form);
    if (form.has("approx")) {
        return ftz ? pick_rare<DivideApproximately<true>, float, float, float>(form)
                   : pick_rare<DivideApproximately<false>, float, float, float>(form);
    }
    return ftz ? rounded<Divide<true>, float, float, float>(form)
               : rounded<Divide<false>, float, float, float>(form);
}

template <template <bool> class F>
Handler find_unary(const Form& form) {
    if (!form.only({"rn", "rz", "rm", "rp", "approx", "ftz"})) return nullptr;
    if (form.type() == "f64") {
        if (form.has("approx") && form.has("ftz"))
            return pick_rare<UpperWord<F>, double, double>(form);
        return rounded<F<false>, double, double>(form);
    }
    return form.has("ftz") ? rounded<F<true>, float, float>(form)
                           : rounded<F<false>, float, float>(form);
}

}  // namespace

Arithmetic find_float_function(const Form& form) {
    const std::string_view opcode = form.opcode;
    if (form.type() != "f32" && form.type() != "f64") return {};
    if (opcode == "div") return {find_division(form)};
    if (opcode == "rcp") return {find_unary<Reciprocal>(form)};
    if (opcode == "sqrt") return {find_unary<SquareRoot>(form)};
    if (opcode == "rsqrt" && form.has("approx")) return {find_unary<ReciprocalRoot>(form)};
    if (opcode == "sin") return {find_function<sine>(form)};
    if (opcode == "cos") return {find_function<cosine>(form)};
    if (opcode == "lg2") return {find_function<logarithm>(form)};
    if (opcode == "ex2") return {find_function<power_of_2>(form)};
    if (opcode == "tanh") return {find_function<hyperbolic_tangent>(form)};
    return {};
}

}  // namespace emulator::simt
