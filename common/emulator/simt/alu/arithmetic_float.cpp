// add, sub, mul, fma, mad, min, max, abs, neg, copysign, testp of f32 and f64.
#include "emulator/simt/alu/values/float_values.hpp"

namespace emulator::simt {

namespace {

template <bool ftz, bool sat>
struct Add {
    template <class T>
    T operator()(T a, T b) const {
        return finish<ftz, sat>(or_nan_of(b, with_made_nan(flush<ftz>(a) + flush<ftz>(b), a, b)));
    }
};
template <bool ftz, bool sat>
struct Subtract {
    template <class T>
    T operator()(T a, T b) const {
        return finish<ftz, sat>(or_nan_of(b, with_made_nan(flush<ftz>(a) - flush<ftz>(b), a, b)));
    }
};
template <bool ftz, bool sat>
struct Multiply {
    template <class T>
    T operator()(T a, T b) const {
        return finish<ftz, sat>(or_nan_of(b, with_made_nan(flush<ftz>(a) * flush<ftz>(b), a, b)));
    }
};
template <bool ftz, bool sat>
struct MultiplyAdd {
    float operator()(float a, float b, float c) const {
        return finish<ftz, sat>(__builtin_fmaf(flush<ftz>(a), flush<ftz>(b), flush<ftz>(c)));
    }
    double operator()(double a, double b, double c) const {
        return or_nan_of(b, or_nan_of(c, with_made_nan(__builtin_fma(a, b, c), a, b, c)));
    }
};

template <class T>
bool is_negative(T value) {
    return bits_of(value) >> (8 * sizeof(T) - 1) != 0;
}

// -0 counts as less than +0. Of a number and a NaN the number, unless `propagates_nan`.
template <bool maximum, bool propagates_nan, bool ftz>
struct Extreme {
    template <class T>
    T operator()(T a, T b) const {
        a = flush<ftz>(a);
        b = flush<ftz>(b);
        const bool a_first = a < b || (a == b && is_negative(a));
        T result = a_first != maximum ? a : b;
        const T nan = std::is_same_v<T, float> ? static_cast<T>(float_of(canonical_nan_bits))
                                               : or_nan_of(b, a);
        if (a != a) result = propagates_nan || b != b ? nan : b;
        if (b != b) result = propagates_nan || a != a ? nan : a;
        return result;
    }
};

// min.xorsign.abs: of the magnitudes, with the product's sign.
template <bool maximum, bool propagates_nan, bool ftz>
struct ExtremeMagnitude {
    float operator()(float a, float b) const {
        const float result =
            Extreme<maximum, propagates_nan, ftz>{}(__builtin_fabsf(a), __builtin_fabsf(b));
        const std::uint32_t sign = (bits_of(a) ^ bits_of(b)) & 0x80000000;
        return result != result ? result : float_of(bits_of(result) ^ sign);
    }
};

// An H200 quiets NaN of f64 and leaves its sign alone.
template <bool ftz>
struct Absolute {
    float operator()(float a) const { return canonical(flush<ftz>(__builtin_fabsf(a))); }
    double operator()(double a) const { return or_nan_of(a, __builtin_fabs(a)); }
};
template <bool ftz>
struct Negate {
    float operator()(float a) const { return canonical(flush<ftz>(-a)); }
    double operator()(double a) const { return or_nan_of(a, -a); }
};

// The magnitude of b with the sign of a.
struct CopySign {
    template <class T>
    T operator()(T a, T b) const {
        return std::copysign(b, a);
    }
};

template <class F, class T, std::size_t arity>
constexpr auto pick_n(const Form& form) {
    if constexpr (arity == 1) return pick<F, T, T>(form);
    if constexpr (arity == 2) return pick<F, T, T, T>(form);
    if constexpr (arity == 3) return pick<F, T, T, T, T>(form);
}

template <class F, class T, std::size_t arity, Rounding rounding>
Handler pick_rounded(const Form& form) {
    using E = Either<T>;
    if constexpr (arity == 2) {
        return fits<T, E, E>(form) ? with_rounding<map<F, T, E, E>, rounding> : nullptr;
    } else {
        return fits<T, E, E, E>(form) ? with_rounding<map<F, T, E, E, E>, rounding> : nullptr;
    }
}

template <class F, class T, std::size_t arity>
Handler with_mode(const Form& form) {
    if (form.has("rz")) return pick_rounded<F, T, arity, Rounding::zero>(form);
    if (form.has("rm")) return pick_rounded<F, T, arity, Rounding::down>(form);
    if (form.has("rp")) return pick_rounded<F, T, arity, Rounding::up>(form);
    return pick_n<F, T, arity>(form);
}

template <template <bool, bool> class F, std::size_t arity>
Handler find_rounded(const Form& form) {
    if (!form.only({"rn", "rz", "rm", "rp", "ftz", "sat"})) return nullptr;
    const bool ftz = form.has("ftz"), sat = form.has("sat");
    if (form.type() == "f64") {
        return ftz || sat ? nullptr : with_mode<F<false, false>, double, arity>(form);
    }
    if (form.type() != "f32") return nullptr;
    if (ftz) {
        return sat ? with_mode<F<true, true>, float, arity>(form)
                   : with_mode<F<true, false>, float, arity>(form);
    }
    return sat ? with_mode<F<false, true>, float, arity>(form)
               : with_mode<F<false, false>, float, arity>(form);
}

template <bool maximum, bool nan, bool ftz>
Handler find_extreme(const Form& form) {
    if (form.has("xorsign")) {
        const bool known = form.has("abs") && form.type() == "f32";
        return known ? pick_rare<ExtremeMagnitude<maximum, nan, ftz>, float, float, float>(form)
                     : nullptr;
    }
    if (form.type() == "f32") return pick<Extreme<maximum, nan, ftz>, float, float, float>(form);
    if (form.type() != "f64" || nan || ftz) return nullptr;
    return pick<Extreme<maximum, false, false>, double, double, double>(form);
}

template <bool maximum>
Handler find_extreme(const Form& form) {
    if (!form.only({"ftz", "NaN", "xorsign", "abs"})) return nullptr;
    if (form.has("NaN")) {
        return form.has("ftz") ? find_extreme<maximum, true, true>(form)
                               : find_extreme<maximum, true, false>(form);
    }
    return form.has("ftz") ? find_extreme<maximum, false, true>(form)
                           : find_extreme<maximum, false, false>(form);
}

template <template <bool> class F>
Handler find_sign(const Form& form) {
    if (!form.only({"ftz"})) return nullptr;
    if (form.type() == "f64") return pick<F<false>, double, double>(form);
    if (form.type() != "f32") return nullptr;
    return form.has("ftz") ? pick<F<true>, float, float>(form) : pick<F<false>, float, float>(form);
}

enum class Property : std::uint16_t { finite, infinite, number, notanumber, normal, subnormal };

template <class T>
bool has_property(T value, Property property) {
    switch (property) {
        case Property::finite:
            return std::isfinite(value);
        case Property::infinite:
            return std::isinf(value);
        case Property::number:
            return !std::isnan(value);
        case Property::notanumber:
            return std::isnan(value);
        // Zero counts as normal.
        case Property::normal:
            return std::isnormal(value) || value == 0;
        case Property::subnormal:
            return std::fpclassify(value) == FP_SUBNORMAL;
    }
    return false;
}

template <class T>
void test_property(Warp& warp, const Operation& operation) {
    typename Either<T>::Scratch scratch;
    const Either<T> values(warp, operation, 0, scratch);
    std::uint32_t result = 0;
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        const bool holds = has_property(values[lane], static_cast<Property>(operation.variant));
        result |= static_cast<std::uint32_t>(holds) << lane;
    }
    std::uint32_t& destination = warp.predicate(operation.destination);
    destination = (destination & ~warp.mask) | (result & warp.mask);
}

Arithmetic find_test(const Form& form) {
    static constexpr std::string_view names[] = {"finite",     "infinite", "number",
                                                 "notanumber", "normal",   "subnormal"};
    if (form.modifiers.size() != 2 || form.sources() != 1) return {};
    Arithmetic found;
    for (std::size_t i = 0; i < std::size(names); ++i) {
        if (form.modifiers[0] != names[i]) continue;
        found.variant = static_cast<std::uint16_t>(i);
        const OperandShape& shape = form.source(0);
        if (form.type() == "f32" && Either<float>::fits(shape))
            found.execute = test_property<float>;
        if (form.type() == "f64" && Either<double>::fits(shape))
            found.execute = test_property<double>;
    }
    return found;
}

}  // namespace

Arithmetic find_float(const Form& form) {
    const std::string_view opcode = form.opcode;
    if (opcode == "testp") return find_test(form);
    if (form.type() != "f32" && form.type() != "f64") return {};
    if (opcode == "add") return {find_rounded<Add, 2>(form)};
    if (opcode == "sub") return {find_rounded<Subtract, 2>(form)};
    if (opcode == "mul") return {find_rounded<Multiply, 2>(form)};
    if (opcode == "fma" || opcode == "mad") return {find_rounded<MultiplyAdd, 3>(form)};
    if (opcode == "min") return {find_extreme<false>(form)};
    if (opcode == "max") return {find_extreme<true>(form)};
    if (opcode == "abs") return {find_sign<Absolute>(form)};
    if (opcode == "neg") return {find_sign<Negate>(form)};
    if (opcode == "copysign" && form.only({})) {
        return {form.type() == "f32" ? pick_rare<CopySign, float, float, float>(form)
                                     : pick_rare<CopySign, double, double, double>(form)};
    }
    return {};
}

}  // namespace emulator::simt
