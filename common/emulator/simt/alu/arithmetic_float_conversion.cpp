// cvt between f32, f64 and integers of 32 and 64 bits, and rounding of f32 and f64 to whole numbers: the
// frequent conversions. arithmetic_narrow_conversion.cpp has the others.
#include <limits>
#include <type_traits>

#include "emulator/simt/alu/values/float_values.hpp"
#include "emulator/simt/alu/values/half_values.hpp"

namespace emulator::simt {

namespace {

enum class Whole { none, nearest, zero, down, up };

template <Whole whole, class T>
T to_whole(T value) {
    if constexpr (whole == Whole::nearest) return std::nearbyint(value);
    if constexpr (whole == Whole::zero) return std::trunc(value);
    if constexpr (whole == Whole::down) return std::floor(value);
    if constexpr (whole == Whole::up) return std::ceil(value);
    return value;
}

template <class S>
struct FromInteger {
    template <class Source>
    float operator()(Source a) const {
        return static_cast<float>(static_cast<S>(a));
    }
};
template <class S>
struct DoubleFromInteger {
    template <class Source>
    double operator()(Source a) const {
        return static_cast<double>(static_cast<S>(a));
    }
};

// Limited to the range of I. NaN: 0, but the bit 31 or 63 alone where 64 bits take part.
template <class I, Whole whole, bool ftz>
struct ToInteger {
    template <class T>
    I operator()(T a) const {
        // The first that is too large: max() itself is no T.
        constexpr I half = std::numeric_limits<I>::max() / 2 + 1;
        constexpr T beyond = T(half) * 2;
        constexpr T smallest = T(std::numeric_limits<I>::min());
        constexpr I nan = sizeof(T) == 8 || sizeof(I) == 8
                              ? I(std::make_unsigned_t<I>(1) << (8 * sizeof(I) - 1))
                              : I(0);
        const T value = to_whole<whole>(flush<ftz>(a));
        // The value where it fits; converting others is undefined in C++.
        const T fitting = value >= smallest && value < beyond ? value : T(0);
        I result = static_cast<I>(fitting);
        result = value >= beyond ? std::numeric_limits<I>::max() : result;
        result = value < smallest ? std::numeric_limits<I>::min() : result;
        return value != value ? nan : result;
    }
};

template <Whole whole, bool ftz, bool sat>
struct RoundToWhole {
    template <class T>
    T operator()(T a) const {
        return finish<ftz, sat>(to_whole<whole>(flush<ftz>(a)));
    }
};

template <bool ftz>
struct Widen {
    // With .ftz an H200 makes NaN canonical first; without, it is widened.
    double operator()(float a) const { return ftz ? canonical(flush<ftz>(a)) : a; }
};
// NaN keeps its sign and the upper bits of its payload, quieted, as on an H200.
template <bool ftz, bool sat>
struct Narrow {
    float operator()(double a) const { return saturate<sat>(flush<ftz>(static_cast<float>(a))); }
};

// NaN of f16 becomes canonical; bf16 is moved to the upper half as it is (found on an H200).
struct FromHalf {
    float operator()(std::uint16_t a) const { return canonical(Half::to_float(a)); }
};
struct FromBrainHalf {
    std::uint32_t operator()(std::uint16_t a) const { return std::uint32_t{a} << 16; }
};
// The float source and its result in 16 bits.
template <class Format, bool relu>
struct ToHalf {
    std::uint16_t operator()(float a) const {
        return Format::from_float(relu && !(a > 0.0f) && a == a ? 0.0f : a);
    }
};
// cvt.rn.f16x2.f32 d, a, b: a is the upper half.
template <class Format, bool relu>
struct ToHalfPair {
    std::uint32_t operator()(float a, float b) const {
        return ToHalf<Format, relu>{}(b) | std::uint32_t{ToHalf<Format, relu>{}(a)} << 16;
    }
};

template <class F, class R, class A>
Handler rounded(const Form& form) {
    if (!fits<R, Either<A>>(form)) return nullptr;
    if (form.has("rz")) return with_rounding<map<F, R, Either<A>>, Rounding::zero>;
    if (form.has("rm")) return with_rounding<map<F, R, Either<A>>, Rounding::down>;
    if (form.has("rp")) return with_rounding<map<F, R, Either<A>>, Rounding::up>;
    return map<F, R, Either<A>>;
}

template <class S, class Source>
Handler from_register(const Form& form) {
    if constexpr (sizeof(Source) < sizeof(S))
        return nullptr;
    else if (form.type(1) == "f32")
        return rounded<FromInteger<S>, float, Source>(form);
    else
        return rounded<DoubleFromInteger<S>, double, Source>(form);
}

template <class S>
Handler from_integer(const Form& form) {
    if (!form.only({"rn", "rz", "rm", "rp"})) return nullptr;
    const unsigned bytes = form.source(0).is_immediate ? sizeof(S) : form.source(0).register_bytes;
    if (bytes == 2) return from_register<S, std::uint16_t>(form);
    if (bytes == 4) return from_register<S, std::uint32_t>(form);
    if (bytes == 8) return from_register<S, std::uint64_t>(form);
    return nullptr;
}

template <class F>
auto with_whole(const Form& form, F&& f) {
    if (form.has("rni")) return f.template operator()<Whole::nearest>();
    if (form.has("rzi")) return f.template operator()<Whole::zero>();
    if (form.has("rmi")) return f.template operator()<Whole::down>();
    if (form.has("rpi")) return f.template operator()<Whole::up>();
    return f.template operator()<Whole::none>();
}

template <class I>
Handler to_integer(const Form& form) {
    if (!form.only({"rni", "rzi", "rmi", "rpi", "ftz", "sat"})) return nullptr;
    return with_whole(form, [&]<Whole whole>() -> Handler {
        if constexpr (whole == Whole::none || sizeof(I) < 4)
            return nullptr;
        else if (form.type() == "f64")
            return pick_rare<ToInteger<I, whole, false>, I, double>(form);
        else
            return form.has("ftz") ? pick_rare<ToInteger<I, whole, true>, I, float>(form)
                                   : pick_rare<ToInteger<I, whole, false>, I, float>(form);
    });
}

Handler within_float(const Form& form) {
    if (!form.only({"rni", "rzi", "rmi", "rpi", "ftz", "sat"})) return nullptr;
    return with_whole(form, [&]<Whole whole>() -> Handler {
        if (form.type() == "f64") {
            if (form.has("ftz")) return nullptr;
            return form.has("sat")
                       ? pick_rare<RoundToWhole<whole, false, true>, double, double>(form)
                       : pick_rare<RoundToWhole<whole, false, false>, double, double>(form);
        }
        if (form.has("sat")) {
            return form.has("ftz")
                       ? pick_rare<RoundToWhole<whole, true, true>, float, float>(form)
                       : pick_rare<RoundToWhole<whole, false, true>, float, float>(form);
        }
        return form.has("ftz") ? pick_rare<RoundToWhole<whole, true, false>, float, float>(form)
                               : pick_rare<RoundToWhole<whole, false, false>, float, float>(form);
    });
}

Handler narrow(const Form& form) {
    if (!form.only({"rn", "rz", "rm", "rp", "ftz", "sat"})) return nullptr;
    if (form.has("sat")) {
        return form.has("ftz") ? rounded<Narrow<true, true>, float, double>(form)
                               : rounded<Narrow<false, true>, float, double>(form);
    }
    return form.has("ftz") ? rounded<Narrow<true, false>, float, double>(form)
                           : rounded<Narrow<false, false>, float, double>(form);
}

template <class Format>
Handler to_half(const Form& form) {
    using H = std::uint16_t;
    if (!form.has("rn") || !form.only({"rn", "relu"})) return nullptr;
    if (form.sources() == 2) {
        return form.has("relu")
                   ? pick_rare<ToHalfPair<Format, true>, std::uint32_t, float, float>(form)
                   : pick_rare<ToHalfPair<Format, false>, std::uint32_t, float, float>(form);
    }
    return form.has("relu") ? pick_rare<ToHalf<Format, true>, H, float>(form)
                            : pick_rare<ToHalf<Format, false>, H, float>(form);
}

Handler find_from_float(const Form& form) {
    const std::string_view to = form.type(1), from = form.type();
    if (to == from) return within_float(form);
    if (to == "f64" && form.only({"ftz"})) {
        return form.has("ftz") ? pick_rare<Widen<true>, double, float>(form)
                               : pick_rare<Widen<false>, double, float>(form);
    }
    if (to == "f32") return narrow(form);
    if (from == "f32" && (to == "f16" || to == "f16x2")) return to_half<Half>(form);
    if (from == "f32" && (to == "bf16" || to == "bf16x2")) return to_half<BrainHalf>(form);
    return with_integer(to, [&]<class I>() { return to_integer<I>(form); });
}

}  // namespace

Arithmetic find_float_conversion(const Form& form) {
    if (form.opcode != "cvt" || form.destinations != 1) return {};
    const std::string_view to = form.type(1), from = form.type();
    if (from == "f32" || from == "f64") return {find_from_float(form)};
    if (to == "f32" && from == "f16" && form.only({})) {
        return {pick_rare<FromHalf, float, std::uint16_t>(form)};
    }
    if (to == "f32" && from == "bf16" && form.only({})) {
        return {pick_rare<FromBrainHalf, std::uint32_t, std::uint16_t>(form)};
    }
    if (to != "f32" && to != "f64") return {};
    if (from == "s8") return {from_integer<std::int8_t>(form)};
    if (from == "u8") return {from_integer<std::uint8_t>(form)};
    return {with_integer(from, [&]<class S>() { return from_integer<S>(form); })};
}

}  // namespace emulator::simt
