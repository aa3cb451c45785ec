// cvt between integers of 8 to 64 bits, with and without saturation; cvt.pack.
//
// An operand may lie in a register that is wider than its type: of a source the lower part counts, a
// destination is extended as its type says.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "emulator/simt/alu/lanes.hpp"

namespace emulator::simt {

namespace {

template <class D, class S, class R>
struct Convert {
    template <class Source>
    R operator()(Source a) const {
        return static_cast<R>(static_cast<D>(static_cast<S>(a)));
    }
};

template <class F>
Handler with_register(unsigned bytes, F&& f) {
    switch (bytes) {
        case 2:
            return f.template operator()<std::uint16_t>();
        case 4:
            return f.template operator()<std::uint32_t>();
        case 8:
            return f.template operator()<std::uint64_t>();
        default:
            return nullptr;
    }
}

template <class F>
Handler with_any_integer(std::string_view type, F&& f) {
    if (type == "s8") return f.template operator()<std::int8_t>();
    if (type == "u8" || type == "b8") return f.template operator()<std::uint8_t>();
    return with_integer(type, f);
}

template <class D, class S>
Handler find_conversion(const Form& form) {
    return with_register(form.shapes[0].register_bytes, [&]<class R>() -> Handler {
        return with_register(form.source(0).register_bytes, [&]<class Source>() -> Handler {
            if constexpr (sizeof(R) < sizeof(D) || sizeof(Source) < sizeof(S)) {
                return nullptr;
            } else {
                // Signs that change nothing share an instantiation.
                using To = std::conditional_t<sizeof(R) == sizeof(D), std::make_unsigned_t<D>, D>;
                using From =
                    std::conditional_t<(sizeof(S) >= sizeof(R)), std::make_unsigned_t<S>, S>;
                return map<Convert<To, From, R>, R, Lanes<Source>>;
            }
        });
    });
}

// ---- saturation: the types are in Operation::variant --------------------------------------------

using Wide = __int128;

struct IntegerType {
    std::string_view name;
    std::int8_t bytes;
    bool is_signed;
};
constexpr IntegerType integer_types[] = {{"s8", 1, true},   {"u8", 1, false}, {"s16", 2, true},
                                         {"u16", 2, false}, {"s32", 4, true}, {"u32", 4, false},
                                         {"s64", 8, true},  {"u64", 8, false}};

int index_of(std::string_view type) {
    const auto* const found = std::ranges::find(integer_types, type, &IntegerType::name);
    return found == std::end(integer_types) ? -1 : static_cast<int>(found - integer_types);
}

Wide value_of(std::uint64_t bits, const IntegerType& type) {
    const int unused = 64 - 8 * type.bytes;
    return type.is_signed ? Wide{static_cast<std::int64_t>(bits << unused) >> unused}
                          : Wide{bits << unused >> unused};
}

std::uint64_t limit(Wide value, const IntegerType& type) {
    const int bits = 8 * type.bytes;
    const Wide largest = (Wide{1} << (type.is_signed ? bits - 1 : bits)) - 1;
    const Wide smallest = type.is_signed ? -largest - 1 : 0;
    return static_cast<std::uint64_t>(std::clamp(value, smallest, largest));
}

template <class R, class Source>
void convert_saturated(Warp& warp, const Operation& operation) {
    const IntegerType& to = integer_types[operation.variant & 7];
    const IntegerType& from = integer_types[operation.variant >> 3 & 7];
    const Source* const a = warp.lanes<Source>(operation.source[0]);
    alignas(64) R result[lanes_per_warp];
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        result[lane] = static_cast<R>(limit(value_of(a[lane], from), to));
    }
    blend_lanes(warp.lanes<R>(operation.destination), result, warp.mask);
}

Arithmetic find_saturated(const Form& form) {
    const int to = index_of(form.type(1)), from = index_of(form.type());
    if (to < 0 || from < 0) return {};
    Arithmetic found;
    found.variant = static_cast<std::uint16_t>(to | from << 3);
    found.execute = with_register(form.shapes[0].register_bytes, [&]<class R>() -> Handler {
        return with_register(form.source(0).register_bytes, [&]<class Source>() -> Handler {
            return convert_saturated<R, Source>;
        });
    });
    return found;
}

// cvt.pack.sat.T.s32: both sources limited to T, packed, the second lowest; what is left of the
// destination comes from c.
void pack_saturated(Warp& warp, const Operation& operation) {
    const IntegerType& type = integer_types[operation.variant & 7];
    const bool has_third = operation.variant & 8;
    typename Either<std::uint32_t>::Scratch scratch[3];
    const Either<std::uint32_t> a(warp, operation, 0, scratch[0]),
        b(warp, operation, 1, scratch[1]);
    const Either<std::uint32_t> c(warp, operation, has_third ? 2 : 1, scratch[2]);
    const int bits = 8 * type.bytes;
    const std::uint32_t kept = (1u << bits) - 1;
    alignas(64) std::uint32_t result[lanes_per_warp];
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        const auto low =
            static_cast<std::uint32_t>(limit(value_of(b[lane], integer_types[4]), type));
        const auto high =
            static_cast<std::uint32_t>(limit(value_of(a[lane], integer_types[4]), type));
        result[lane] = (low & kept) | (high & kept) << bits;
        if (has_third) result[lane] |= c[lane] << 2 * bits;
    }
    blend(warp.lanes<std::uint32_t>(operation.destination), result, warp.mask);
}

Arithmetic find_pack(const Form& form) {
    // cvt.pack.sat.u16.s32 and cvt.pack.sat.u8.s32.b32
    const bool has_third = form.sources() == 3;
    if (form.sources() < 2 || form.sources() > 3 || form.type(has_third ? 1 : 0) != "s32")
        return {};
    const int type = index_of(form.type(has_third ? 2 : 1));
    if (type < 0 || integer_types[type].bytes != (has_third ? 1 : 2)) return {};
    for (std::size_t i = 0; i < form.sources(); ++i) {
        if (!Either<std::uint32_t>::fits(form.source(i))) return {};
    }
    return {.execute = pack_saturated,
            .variant = static_cast<std::uint16_t>(type | (has_third ? 8 : 0))};
}

}  // namespace

Arithmetic find_integer_conversion(const Form& form) {
    if (form.opcode != "cvt" || form.destinations != 1) return {};
    if (form.has("pack") && form.only({"pack", "sat"})) return find_pack(form);
    if (form.sources() != 1 || !form.only({"sat"})) return {};
    if (form.has("sat")) return find_saturated(form);
    return {with_any_integer(form.type(1), [&]<class D>() -> Handler {
        return with_any_integer(form.type(),
                                [&]<class S>() -> Handler { return find_conversion<D, S>(form); });
    })};
}

}  // namespace emulator::simt
