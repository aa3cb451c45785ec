// add, sub, mul, fma of f16, bf16 and pairs of them.
//
// All halves of an operand are converted to f32 at once (a register of pairs is 64 halves in a row), the
// results are computed with enough precision that the one rounding back is the only one.
#include <array>
#include <type_traits>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "emulator/simt/alu/values/half_changes.hpp"

namespace emulator::simt {

namespace {

struct Add {
    template <class Format>
    static float apply(float a, float b) {
        return a + b;
    }
};
struct Subtract {
    template <class Format>
    static float apply(float a, float b) {
        return a - b;
    }
};
struct Multiply {
    template <class Format>
    static float apply(float a, float b) {
        return Format::multiply(a, b);
    }
};
struct MultiplyAdd {
    template <class Format>
    static float apply(float a, float b, float c) {
        return Format::multiply_add(a, b, c);
    }
};

template <class Format, int count>
void to_floats(const std::uint16_t* halves, float* floats) {
#ifdef __F16C__
    if constexpr (std::is_same_v<Format, Half>) {
        for (int i = 0; i < count; i += 8) {
            const auto* const from = reinterpret_cast<const __m128i*>(halves + i);
            _mm256_store_ps(floats + i, _mm256_cvtph_ps(_mm_load_si128(from)));
        }
        return;
    }
#endif
    for (int i = 0; i < count; ++i) floats[i] = Format::to_float(halves[i]);
}

template <class Format, int count>
void from_floats(const float* floats, std::uint16_t* halves) {
#ifdef __F16C__
    if constexpr (std::is_same_v<Format, Half>) {
        const __m128i magnitude = _mm_set1_epi16(0x7fff), infinity = _mm_set1_epi16(0x7c00);
        for (int i = 0; i < count; i += 8) {
            const __m128i half =
                _mm256_cvtps_ph(_mm256_load_ps(floats + i), _MM_FROUND_TO_NEAREST_INT);
            const __m128i is_nan = _mm_cmpgt_epi16(_mm_and_si128(half, magnitude), infinity);
            _mm_store_si128(reinterpret_cast<__m128i*>(halves + i),
                            _mm_blendv_epi8(half, magnitude, is_nan));
        }
        return;
    }
#endif
    for (int i = 0; i < count; ++i) halves[i] = Format::from_float(floats[i]);
}

// One operand's halves as f32.
template <class Format, class Before, class Lane>
struct Floats {
    static constexpr int count = lanes_per_warp * static_cast<int>(sizeof(Lane) / 2);
    alignas(64) float values[count];
    Floats(Warp& warp, const Operation& operation, std::size_t source) {
        typename Either<Lane>::Scratch scratch;
        const Either<Lane> lanes(warp, operation, source, scratch);
        const auto* const halves = reinterpret_cast<const std::uint16_t*>(lanes.values);
        if constexpr (std::is_same_v<Before, NoChange>) {
            to_floats<Format, count>(halves, values);
        } else {
            alignas(64) std::uint16_t changed[count];
            for (int i = 0; i < count; ++i) changed[i] = Before::template apply<Format>(halves[i]);
            to_floats<Format, count>(changed, values);
        }
    }
};

template <class F, class Format, class Before, class After, class Lane, std::size_t... source>
void compute(Warp& warp, const Operation& operation, std::index_sequence<source...>) {
    using Operand = Floats<Format, Before, Lane>;
    const std::array<Operand, sizeof...(source)> operands{Operand(warp, operation, source)...};
    alignas(64) float results[Operand::count];
    for (int i = 0; i < Operand::count; ++i)
        results[i] = F::template apply<Format>(operands[source].values[i]...);
    alignas(64) std::uint16_t halves[Operand::count];
    from_floats<Format, Operand::count>(results, halves);
    for (std::uint16_t& half : halves)
        half = After::template apply<Format>(Before::template apply<Format>(half));
    blend_lanes(warp.lanes<Lane>(operation.destination), reinterpret_cast<const Lane*>(halves),
                warp.mask);
}

template <class F, class Format, class Before, class After, class Lane, std::size_t arity>
void compute_halves(Warp& warp, const Operation& operation) {
    compute<F, Format, Before, After, Lane>(warp, operation, std::make_index_sequence<arity>{});
}

template <class F, class Format, class Before, class After, class Lane, std::size_t arity>
Handler of_lanes(const Form& form) {
    using E = Either<Lane>;
    bool known = false;
    if constexpr (arity == 2) known = fits<Lane, E, E>(form);
    if constexpr (arity == 3) known = fits<Lane, E, E, E>(form);
    return known ? compute_halves<F, Format, Before, After, Lane, arity> : nullptr;
}

template <class F, class Format, class Before, class After, std::size_t arity>
Handler of_width(const Form& form) {
    return form.type().ends_with("x2")
               ? of_lanes<F, Format, Before, After, std::uint32_t, arity>(form)
               : of_lanes<F, Format, Before, After, std::uint16_t, arity>(form);
}

template <class F, class Format, std::size_t arity>
Handler with_changes(const Form& form) {
    if (form.has("ftz")) {
        if (form.has("relu")) return of_width<F, Format, Flush, Relu, arity>(form);
        return form.has("sat") ? of_width<F, Format, Flush, Saturate, arity>(form)
                               : of_width<F, Format, Flush, NoChange, arity>(form);
    }
    if (form.has("relu")) return of_width<F, Format, NoChange, Relu, arity>(form);
    return form.has("sat") ? of_width<F, Format, NoChange, Saturate, arity>(form)
                           : of_width<F, Format, NoChange, NoChange, arity>(form);
}

template <class Format>
Handler find_of_format(const Form& form) {
    const std::string_view opcode = form.opcode;
    if (!form.only({"rn", "ftz", "sat", "relu"})) return nullptr;
    if (opcode == "fma") return with_changes<MultiplyAdd, Format, 3>(form);
    if (form.has("relu")) return nullptr;
    if (opcode == "add") return with_changes<Add, Format, 2>(form);
    if (opcode == "sub") return with_changes<Subtract, Format, 2>(form);
    if (opcode == "mul") return with_changes<Multiply, Format, 2>(form);
    return nullptr;
}

}  // namespace

Arithmetic find_half_float(const Form& form) {
    const std::string_view type = form.type();
    if (type == "f16" || type == "f16x2") return {find_of_format<Half>(form)};
    if (type == "bf16" || type == "bf16x2") return {find_of_format<BrainHalf>(form)};
    return {};
}

}  // namespace emulator::simt
