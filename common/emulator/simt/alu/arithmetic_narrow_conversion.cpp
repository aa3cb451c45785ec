// cvt, the rare forms: to and from f16, bf16, tf32, e4m3 and e5m2 in all rounding modes, integers of 8 and
// 16 bits, registers wider than their type. A lane at a time; the types are in Operation::variant.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "emulator/simt/alu/values/half_values.hpp"
#include "emulator/simt/alu/values/minifloat.hpp"

namespace emulator::simt {

namespace {

struct ScalarType {
    std::string_view name;
    std::uint8_t bytes;
    enum Kind : std::uint8_t { is_signed, is_unsigned, is_float } kind;
};
constexpr ScalarType scalar_types[] = {
    {"s8", 1, ScalarType::is_signed},  {"u8", 1, ScalarType::is_unsigned},
    {"s16", 2, ScalarType::is_signed}, {"u16", 2, ScalarType::is_unsigned},
    {"s32", 4, ScalarType::is_signed}, {"u32", 4, ScalarType::is_unsigned},
    {"s64", 8, ScalarType::is_signed}, {"u64", 8, ScalarType::is_unsigned},
    {"f16", 2, ScalarType::is_float},  {"bf16", 2, ScalarType::is_float},
    {"f32", 4, ScalarType::is_float},  {"f64", 8, ScalarType::is_float},
    {"tf32", 4, ScalarType::is_float},
};

// Operation::variant: destination type, source type, mode, and four flags; is_whole: .rni and its like.
struct Variant {
    std::uint16_t to : 4, from : 4, mode : 3, ftz : 1, sat : 1, relu : 1, is_whole : 1;
};
static_assert(sizeof(Variant) == 2);

constexpr Minifloat half_format{5, 10}, brain_format{8, 7}, tensor_format{8, 10},
    single_format{8, 23};

// A source's value: exact, or, of 64-bit integers, rounded to odd.
double value_of(std::uint64_t bits, const ScalarType& type, bool ftz) {
    if (type.kind == ScalarType::is_float) {
        if (type.name == "f16") return Half::to_float(static_cast<std::uint16_t>(bits));
        if (type.name == "bf16") return BrainHalf::to_float(static_cast<std::uint16_t>(bits));
        if (type.name == "f64") return std::bit_cast<double>(bits);
        const float value = float_of(static_cast<std::uint32_t>(bits));
        return ftz ? flush<true>(value) : value;
    }
    const int unused = 64 - 8 * type.bytes;
    const bool is_signed = type.kind == ScalarType::is_signed;
    const auto value = is_signed ? __int128{static_cast<std::int64_t>(bits << unused) >> unused}
                                 : __int128{bits << unused >> unused};
    const auto rounded = static_cast<double>(value);
    const auto back = static_cast<__int128>(rounded);
    auto result = bits_of(rounded);
    if (back != value && (result & 1) == 0) {
        const bool away = (value < 0 ? -value : value) > (back < 0 ? -back : back);
        result = away ? result + 1 : result - 1;
    }
    return std::bit_cast<double>(result);
}

double to_whole(double value, RoundingMode mode) {
    return mode == RoundingMode::zero   ? std::trunc(value)
           : mode == RoundingMode::down ? std::floor(value)
           : mode == RoundingMode::up   ? std::ceil(value)
                                        : std::nearbyint(value);
}

// NaN: 0, but where 64 bits take part the most significant bit, extended as the type says.
std::uint64_t to_integer(double value, const ScalarType& to, const ScalarType& from,
                         RoundingMode mode) {
    const int bits = 8 * to.bytes;
    const bool is_signed = to.kind == ScalarType::is_signed;
    if (std::isnan(value) && from.bytes != 8 && bits != 64) return 0;
    if (std::isnan(value)) return (is_signed ? ~std::uint64_t{0} : std::uint64_t{1}) << (bits - 1);
    const double whole = to_whole(value, mode);
    const double beyond = std::ldexp(1.0, is_signed ? bits - 1 : bits);
    const double smallest = is_signed ? -beyond : 0.0;
    const std::uint64_t largest = ~std::uint64_t{0} >> (64 - bits + (is_signed ? 1 : 0));
    if (whole >= beyond) return largest;
    if (whole <= smallest) return is_signed ? ~std::uint64_t{0} << (bits - 1) : 0;
    return whole < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole))
                     : static_cast<std::uint64_t>(whole);
}

std::uint64_t to_float(double value, const ScalarType& to, const Variant& variant) {
    const auto mode = static_cast<RoundingMode>(variant.mode);
    if (variant.is_whole) value = to_whole(value, mode);
    if (variant.sat) value = value > 0 ? std::min(value, 1.0) : 0.0;
    if (variant.relu && (value < 0 || value == 0)) value = value < 0 ? 0.0 : std::fabs(value);
    if (to.name == "f64") return bits_of(value);
    if (to.name == "f16") return half_format.encode(value, mode);
    if (to.name == "bf16") return brain_format.encode(value, mode);
    if (to.name == "tf32") return std::uint64_t{tensor_format.encode(value, mode)} << 13;
    const std::uint32_t bits = single_format.encode(value, mode);
    return variant.ftz ? bits_of(flush<true>(float_of(bits))) : bits;
}

// NaNs that do not become the canonical one of the destination (found on an H200). f64 to f16: sign and
// the upper bits of the payload stay, quieted. cvt.rna.tf32.f32 cuts the lower bits off, which makes an
// infinity of a NaN that has no others.
std::optional<std::uint64_t> kept_nan(std::uint64_t bits, const ScalarType& to,
                                      const ScalarType& from, const Variant& variant) {
    if (from.name == "f64" && to.name == "f16" && !variant.sat &&
        std::isnan(std::bit_cast<double>(bits))) {
        return (bits >> 48 & 0x8000) | 0x7e00 | (bits >> 42 & 0x1ff);
    }
    if (from.name == "f32" && to.name == "tf32" &&
        static_cast<RoundingMode>(variant.mode) == RoundingMode::nearest_away &&
        std::isnan(float_of(static_cast<std::uint32_t>(bits)))) {
        return bits & 0xffffe000u;
    }
    return std::nullopt;
}

std::uint64_t convert_one(std::uint64_t source, const ScalarType& to, const ScalarType& from,
                          const Variant& variant) {
    if (const auto nan = kept_nan(source, to, from, variant)) return *nan;
    const double value = value_of(source, from, variant.ftz);
    return to.kind == ScalarType::is_float
               ? to_float(value, to, variant)
               : to_integer(value, to, from, static_cast<RoundingMode>(variant.mode));
}

template <class R, class Source>
void convert(Warp& warp, const Operation& operation) {
    const auto variant = std::bit_cast<Variant>(operation.variant);
    const ScalarType& to = scalar_types[variant.to];
    const ScalarType& from = scalar_types[variant.from];
    typename Either<Source>::Scratch scratch;
    const Either<Source> a(warp, operation, 0, scratch);
    alignas(64) R result[lanes_per_warp];
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        result[lane] = static_cast<R>(convert_one(a[lane], to, from, variant));
    }
    blend_lanes(warp.lanes<R>(operation.destination), result, warp.mask);
}

std::optional<RoundingMode> mode_of(const Form& form) {
    if (form.has("rn") || form.has("rni")) return RoundingMode::nearest;
    if (form.has("rz") || form.has("rzi")) return RoundingMode::zero;
    if (form.has("rm") || form.has("rmi")) return RoundingMode::down;
    if (form.has("rp") || form.has("rpi")) return RoundingMode::up;
    if (form.has("rna")) return RoundingMode::nearest_away;
    return std::nullopt;
}

int index_of(std::string_view type) {
    const auto* const found = std::ranges::find(scalar_types, type, &ScalarType::name);
    return found == std::end(scalar_types) ? -1 : static_cast<int>(found - scalar_types);
}

template <class R>
Handler of_source(unsigned bytes) {
    return bytes == 2   ? convert<R, std::uint16_t>
           : bytes == 4 ? convert<R, std::uint32_t>
           : bytes == 8 ? convert<R, std::uint64_t>
                        : nullptr;
}

Arithmetic find_scalar(const Form& form) {
    const int to = index_of(form.type(1)), from = index_of(form.type());
    if (to < 0 || from < 0 || form.sources() != 1) return {};
    const unsigned to_bytes = form.shapes[0].register_bytes;
    const unsigned from_bytes = form.source(0).is_immediate
                                    ? std::max<unsigned>(2, scalar_types[from].bytes)
                                    : form.source(0).register_bytes;
    if (to_bytes < scalar_types[to].bytes || from_bytes < scalar_types[from].bytes) return {};
    const Variant variant{
        .to = static_cast<std::uint16_t>(to & 15),
        .from = static_cast<std::uint16_t>(from & 15),
        .mode = static_cast<std::uint16_t>(mode_of(form).value_or(RoundingMode::nearest)),
        .ftz = form.has("ftz"),
        .sat = form.has("sat"),
        .relu = form.has("relu"),
        .is_whole = form.has("rni") || form.has("rzi") || form.has("rmi") || form.has("rpi")};
    Arithmetic found;
    found.variant = std::bit_cast<std::uint16_t>(variant);
    found.execute = to_bytes == 2   ? of_source<std::uint16_t>(from_bytes)
                    : to_bytes == 4 ? of_source<std::uint32_t>(from_bytes)
                    : to_bytes == 8 ? of_source<std::uint64_t>(from_bytes)
                                    : nullptr;
    return found;
}

// ---- pairs --------------------------------------------------------------------------------------

// cvt.MODE.f16x2.f32 d, a, b and the like with a mode other than .rn: a is the upper half.
template <class Packed, const Minifloat& format, int bits>
void pack_floats(Warp& warp, const Operation& operation) {
    const auto variant = std::bit_cast<Variant>(operation.variant);
    typename Either<float>::Scratch scratch[2];
    const Either<float> a(warp, operation, 0, scratch[0]), b(warp, operation, 1, scratch[1]);
    const auto encode = [&](float value) {
        const double limited = variant.relu && value <= 0 ? 0.0 : value;
        return format.encode(limited, static_cast<RoundingMode>(variant.mode));
    };
    alignas(64) Packed result[lanes_per_warp];
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        result[lane] = static_cast<Packed>(encode(b[lane]) | encode(a[lane]) << bits);
    }
    blend_lanes(warp.lanes<Packed>(operation.destination), result, warp.mask);
}

// From pairs of halves to pairs of 8-bit values, and back.
template <class Packed, const Minifloat& to, const Minifloat& from, class Source>
void convert_pairs(Warp& warp, const Operation& operation) {
    const auto variant = std::bit_cast<Variant>(operation.variant);
    typename Either<Source>::Scratch scratch;
    const Either<Source> a(warp, operation, 0, scratch);
    const auto convert_one = [&](std::uint32_t bits) {
        const double value = from.decode(bits);
        const double limited = variant.relu && value <= 0 ? 0.0 : value;
        return to.encode(limited, RoundingMode::nearest);
    };
    alignas(64) Packed result[lanes_per_warp];
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        const std::uint32_t low = convert_one(a[lane]), high = convert_one(a[lane] >> from.bits());
        result[lane] = static_cast<Packed>(low | high << to.bits());
    }
    blend_lanes(warp.lanes<Packed>(operation.destination), result, warp.mask);
}

constexpr Minifloat e4m3{.exponent_bits = 4, .fraction_bits = 3, .finite_only = true};
constexpr Minifloat e5m2{.exponent_bits = 5, .fraction_bits = 2, .saturates_finite = true};

Handler find_pairs_handler(const Form& form) {
    using H = std::uint16_t;
    using W = std::uint32_t;
    const std::string_view to = form.type(1), from = form.type();
    if (from == "f32" && form.sources() == 2) {
        if (!Either<float>::fits(form.source(0)) || !Either<float>::fits(form.source(1)))
            return nullptr;
        const unsigned bytes = form.shapes[0].register_bytes;
        if (to == "f16x2" && bytes == 4) return pack_floats<W, half_format, 16>;
        if (to == "bf16x2" && bytes == 4) return pack_floats<W, brain_format, 16>;
        if (!form.has("satfinite") || bytes != 2) return nullptr;
        if (to == "e4m3x2") return pack_floats<H, e4m3, 8>;
        if (to == "e5m2x2") return pack_floats<H, e5m2, 8>;
        return nullptr;
    }
    if (form.sources() != 1) return nullptr;
    if (from == "f16x2" && form.has("satfinite") && fits<H, Either<W>>(form)) {
        if (to == "e4m3x2") return convert_pairs<H, e4m3, half_format, W>;
        if (to == "e5m2x2") return convert_pairs<H, e5m2, half_format, W>;
    }
    if (to == "f16x2" && fits<W, Either<H>>(form)) {
        if (from == "e4m3x2") return convert_pairs<W, half_format, e4m3, H>;
        if (from == "e5m2x2") return convert_pairs<W, half_format, e5m2, H>;
    }
    return nullptr;
}

}  // namespace

Arithmetic find_narrow_conversion(const Form& form) {
    if (form.opcode != "cvt" || form.destinations != 1) return {};
    if (!form.only({"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi", "ftz", "sat", "relu",
                    "satfinite"})) {
        return {};
    }
    if (!form.type(1).ends_with("x2") && !form.has("satfinite")) return find_scalar(form);
    const Variant variant{
        .to = 0,
        .from = 0,
        .mode = static_cast<std::uint16_t>(mode_of(form).value_or(RoundingMode::nearest)),
        .ftz = 0,
        .sat = 0,
        .relu = form.has("relu"),
        .is_whole = 0};
    return {.execute = find_pairs_handler(form), .variant = std::bit_cast<std::uint16_t>(variant)};
}

}  // namespace emulator::simt
