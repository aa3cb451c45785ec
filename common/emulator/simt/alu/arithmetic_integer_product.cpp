// mul, mad (.lo, .hi, .wide), mul24, mad24, dp4a, dp2a.
#include <limits>
#include <type_traits>

#include "emulator/simt/alu/lanes.hpp"

namespace emulator::simt {

namespace {

// The type that holds a product of two.
template <class T>
struct Wider;
template <>
struct Wider<std::int16_t> : std::type_identity<std::int32_t> {};
template <>
struct Wider<std::uint16_t> : std::type_identity<std::uint32_t> {};
template <>
struct Wider<std::int32_t> : std::type_identity<std::int64_t> {};
template <>
struct Wider<std::uint32_t> : std::type_identity<std::uint64_t> {};
template <>
struct Wider<std::int64_t> : std::type_identity<__int128> {};
template <>
struct Wider<std::uint64_t> : std::type_identity<unsigned __int128> {};
template <class T>
using WiderOf = typename Wider<T>::type;

template <class T>
T low_product(T a, T b) {
    // At least 32 bits wide, so that 16-bit operands are not promoted to int, which overflows.
    using U = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
}

template <class T>
T high_product(T a, T b) {
    return static_cast<T>(static_cast<WiderOf<T>>(a) * static_cast<WiderOf<T>>(b) >> 8 * sizeof(T));
}

struct LowHalf {
    template <class T>
    T operator()(T a, T b) const {
        return low_product(a, b);
    }
};

struct HighHalf {
    template <class T>
    T operator()(T a, T b) const {
        return high_product(a, b);
    }
};

// A half of the product, and its sum with a third operand.
template <class Half>
struct Product : Half {
    using Half::operator();
    template <class T>
    T operator()(T a, T b, T c) const {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<U>((*this)(a, b)) + static_cast<U>(c));
    }
};
using Low = Product<LowHalf>;
using High = Product<HighHalf>;

struct HighSaturated {
    std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
        const std::int64_t sum = std::int64_t{high_product(a, b)} + c;
        return static_cast<std::int32_t>(sum > std::numeric_limits<std::int32_t>::max()
                                             ? std::numeric_limits<std::int32_t>::max()
                                         : sum < std::numeric_limits<std::int32_t>::min()
                                             ? std::numeric_limits<std::int32_t>::min()
                                             : sum);
    }
};

struct Wide {
    template <class T>
    WiderOf<T> operator()(T a, T b) const {
        return static_cast<WiderOf<T>>(a) * static_cast<WiderOf<T>>(b);
    }
    template <class T>
    WiderOf<T> operator()(T a, T b, WiderOf<T> c) const {
        using U = std::make_unsigned_t<WiderOf<T>>;
        return static_cast<WiderOf<T>>(static_cast<U>((*this)(a, b)) + static_cast<U>(c));
    }
};

// The low 24 bits of a and b as integers; of their 48-bit product the low 32 bits, or the bits 16 to 47.
template <class T, bool high>
struct Product24 {
    static std::int64_t operand(T a) {
        return std::is_signed_v<T>
                   ? static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << 8) >> 8
                   : static_cast<std::int64_t>(static_cast<std::uint32_t>(a) & 0xffffff);
    }
    T operator()(T a, T b) const {
        const std::int64_t product = operand(a) * operand(b);
        return static_cast<T>(high ? product >> 16 : product);
    }
    T operator()(T a, T b, T c) const {
        return static_cast<T>(static_cast<std::uint32_t>((*this)(a, b)) +
                              static_cast<std::uint32_t>(c));
    }
};

template <bool a_is_signed, bool b_is_signed>
struct DotOf4 {
    std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
        std::uint32_t sum = c;
        for (int i = 0; i < 32; i += 8) {
            const std::int32_t x =
                a_is_signed ? static_cast<std::int8_t>(a >> i) : static_cast<std::uint8_t>(a >> i);
            const std::int32_t y =
                b_is_signed ? static_cast<std::int8_t>(b >> i) : static_cast<std::uint8_t>(b >> i);
            sum += static_cast<std::uint32_t>(x * y);
        }
        return sum;
    }
};

// Two 16-bit integers of a with the two low (high) bytes of b.
template <bool a_is_signed, bool b_is_signed, bool high>
struct DotOf2 {
    std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
        std::uint32_t sum = c;
        for (int i = 0; i < 2; ++i) {
            const std::uint32_t byte = b >> (8 * i + (high ? 16 : 0));
            const std::int32_t x = a_is_signed ? static_cast<std::int16_t>(a >> 16 * i)
                                               : static_cast<std::uint16_t>(a >> 16 * i);
            const std::int32_t y =
                b_is_signed ? static_cast<std::int8_t>(byte) : static_cast<std::uint8_t>(byte);
            sum += static_cast<std::uint32_t>(x * y);
        }
        return sum;
    }
};

Handler find_product(const Form& form, bool adds) {
    if (form.has("sat")) {
        using T = std::int32_t;
        const bool known =
            adds && form.has("hi") && form.type() == "s32" && form.only({"hi", "sat"});
        return known ? pick_rare<HighSaturated, T, T, T, T>(form) : nullptr;
    }
    if (!form.only({"lo", "hi", "wide"})) return nullptr;
    return with_integer(form.type(), [&]<class T>() -> Handler {
        using U = std::make_unsigned_t<T>;
        if (form.has("lo")) return adds ? pick<Low, U, U, U, U>(form) : pick<Low, U, U, U>(form);
        if (form.has("hi")) return adds ? pick<High, T, T, T, T>(form) : pick<High, T, T, T>(form);
        if constexpr (sizeof(T) < 8) {
            using W = WiderOf<T>;
            if (form.has("wide"))
                return adds ? pick<Wide, W, T, T, W>(form) : pick<Wide, W, T, T>(form);
        }
        return nullptr;
    });
}

template <class T>
Handler find_product_24(const Form& form, bool adds) {
    if (form.has("hi")) {
        return adds ? pick_rare<Product24<T, true>, T, T, T, T>(form)
                    : pick_rare<Product24<T, true>, T, T, T>(form);
    }
    return adds ? pick_rare<Product24<T, false>, T, T, T, T>(form)
                : pick_rare<Product24<T, false>, T, T, T>(form);
}

template <bool a_is_signed, bool b_is_signed>
Handler find_dot(const Form& form) {
    using U = std::uint32_t;
    if (form.opcode == "dp4a") return pick_rare<DotOf4<a_is_signed, b_is_signed>, U, U, U, U>(form);
    return form.has("hi") ? pick_rare<DotOf2<a_is_signed, b_is_signed, true>, U, U, U, U>(form)
                          : pick_rare<DotOf2<a_is_signed, b_is_signed, false>, U, U, U, U>(form);
}

}  // namespace

Arithmetic find_integer_product(const Form& form) {
    if (form.opcode == "mul" || form.opcode == "mad")
        return {find_product(form, form.opcode == "mad")};
    if (form.opcode == "mul24" || form.opcode == "mad24") {
        if (!form.only({"lo", "hi"})) return {};
        const bool adds = form.opcode == "mad24";
        if (form.type() == "s32") return {find_product_24<std::int32_t>(form, adds)};
        if (form.type() == "u32") return {find_product_24<std::uint32_t>(form, adds)};
    }
    if (form.opcode == "dp4a" || form.opcode == "dp2a") {
        if (!form.only({"lo", "hi"})) return {};
        const bool a = form.type(1) == "s32", b = form.type() == "s32";
        return {a   ? b ? find_dot<true, true>(form) : find_dot<true, false>(form)
                : b ? find_dot<false, true>(form)
                    : find_dot<false, false>(form)};
    }
    return {};
}

}  // namespace emulator::simt
