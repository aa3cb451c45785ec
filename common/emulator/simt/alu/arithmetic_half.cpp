// neg, abs, min, max, tanh, ex2 of f16, bf16 and pairs of them. arithmetic_half_float.cpp has add, sub, mul
// and fma.
#include "emulator/simt/alu/values/approximations.hpp"
#include "emulator/simt/alu/values/half_changes.hpp"

namespace emulator::simt {

namespace {

// NaN becomes canonical, as on an H200.
struct Negate {
    template <class Format>
    static std::uint16_t apply(std::uint16_t a) {
        return static_cast<std::uint16_t>(choose_bits(Format::is_nan(a), Format::nan, a ^ 0x8000u));
    }
};
struct Absolute {
    template <class Format>
    static std::uint16_t apply(std::uint16_t a) {
        return static_cast<std::uint16_t>(choose_bits(Format::is_nan(a), Format::nan, a & 0x7fffu));
    }
};
struct Tanh {
    template <class Format>
    static std::uint16_t apply(std::uint16_t a) {
        return Format::from_float(static_cast<float>(hyperbolic_tangent(Format::to_float(a))));
    }
};
struct PowerOf2 {
    template <class Format>
    static std::uint16_t apply(std::uint16_t a) {
        return Format::from_float(static_cast<float>(power_of_2(Format::to_float(a))));
    }
};

template <bool maximum, bool propagates_nan, bool xorsign>
struct Extreme {
    template <class Format>
    static std::uint16_t apply(std::uint16_t a, std::uint16_t b) {
        const std::uint16_t sign = xorsign ? (a ^ b) & 0x8000 : 0;
        if (xorsign) {
            a &= 0x7fff;
            b &= 0x7fff;
        }
        const float x = Format::to_float(a), y = Format::to_float(b);
        const bool a_first = x < y || (x == y && a & 0x8000);
        std::uint16_t result = a_first != maximum ? a : b;
        if (Format::is_nan(a)) result = propagates_nan || Format::is_nan(b) ? Format::nan : b;
        if (Format::is_nan(b)) result = propagates_nan || Format::is_nan(a) ? Format::nan : a;
        return Format::is_nan(result) ? result : static_cast<std::uint16_t>(result | sign);
    }
};

// One value in a 16-bit register, or two in one of 32 bits.
template <class F, class Format, class Changes>
struct Scalar {
    template <class... A>
    std::uint16_t operator()(A... a) const {
        const std::uint16_t result = F::template apply<Format>(
            Changes::template apply<Format>(static_cast<std::uint16_t>(a))...);
        return Changes::template apply<Format>(result);
    }
};
template <class F, class Format, class Changes>
struct Pair {
    template <class... A>
    std::uint32_t operator()(A... a) const {
        using One = Scalar<F, Format, Changes>;
        const std::uint32_t low = One{}(a...), high = One{}((a >> 16)...);
        return low | high << 16;
    }
};

template <class F, class Format, class Changes, std::size_t arity>
Handler of_width(const Form& form) {
    using H = std::uint16_t;
    using W = std::uint32_t;
    using One = Scalar<F, Format, Changes>;
    using Two = Pair<F, Format, Changes>;
    const bool pairs = form.type().ends_with("x2");
    if constexpr (arity == 1)
        return pairs ? pick_rare<Two, W, W>(form) : pick_rare<One, H, H>(form);
    if constexpr (arity == 2)
        return pairs ? pick_rare<Two, W, W, W>(form) : pick_rare<One, H, H, H>(form);
}

template <class F, class Format, std::size_t arity>
Handler with_changes(const Form& form) {
    return form.has("ftz") ? of_width<F, Format, Flush, arity>(form)
                           : of_width<F, Format, NoChange, arity>(form);
}

template <class Format, bool maximum>
Handler find_extreme(const Form& form) {
    if (!form.only({"NaN", "xorsign", "abs", "ftz"}) || form.has("xorsign") != form.has("abs"))
        return nullptr;
    const bool nan = form.has("NaN");
    if (form.has("xorsign")) {
        return nan ? with_changes<Extreme<maximum, true, true>, Format, 2>(form)
                   : with_changes<Extreme<maximum, false, true>, Format, 2>(form);
    }
    return nan ? with_changes<Extreme<maximum, true, false>, Format, 2>(form)
               : with_changes<Extreme<maximum, false, false>, Format, 2>(form);
}

template <class Format>
Handler find_of_format(const Form& form) {
    const std::string_view opcode = form.opcode;
    if (opcode == "min") return find_extreme<Format, false>(form);
    if (opcode == "max") return find_extreme<Format, true>(form);
    if (!form.only({"ftz", "approx"})) return nullptr;
    if (form.has("approx") != (opcode == "tanh" || opcode == "ex2")) return nullptr;
    if (opcode == "neg") return with_changes<Negate, Format, 1>(form);
    if (opcode == "abs") return with_changes<Absolute, Format, 1>(form);
    if (opcode == "tanh") return with_changes<Tanh, Format, 1>(form);
    if (opcode == "ex2") return with_changes<PowerOf2, Format, 1>(form);
    return nullptr;
}

}  // namespace

Arithmetic find_half(const Form& form) {
    const std::string_view type = form.type();
    if (type == "f16" || type == "f16x2") return {find_of_format<Half>(form)};
    if (type == "bf16" || type == "bf16x2") return {find_of_format<BrainHalf>(form)};
    return {};
}

}  // namespace emulator::simt
