// add, sub, min, max, abs, neg, sad, div, rem of integers of 16, 32 and 64 bits.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "emulator/simt/alu/lanes.hpp"

namespace emulator::simt {

namespace {

template <class T>
using Unsigned = std::make_unsigned_t<T>;

struct Add {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a + b);
    }
};

struct Subtract {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a - b);
    }
};

// Limits the sum (difference) to the range of s32.
template <bool subtracts>
struct Saturated {
    std::int32_t operator()(std::int32_t a, std::int32_t b) const {
        const auto ua = static_cast<std::uint32_t>(a), ub = static_cast<std::uint32_t>(b);
        const std::uint32_t sum = subtracts ? ua - ub : ua + ub;
        const std::uint32_t overflow = (subtracts ? ua ^ ub : ~(ua ^ ub)) & (ua ^ sum);
        const std::uint32_t limit = 0x7fffffffu + (ua >> 31);
        return static_cast<std::int32_t>(overflow >> 31 ? limit : sum);
    }
};

template <bool at_least_zero>
struct Minimum {
    template <class T>
    T operator()(T a, T b) const {
        const T result = a < b ? a : b;
        return at_least_zero && result < T{} ? T{} : result;
    }
};

template <bool at_least_zero>
struct Maximum {
    template <class T>
    T operator()(T a, T b) const {
        const T result = a > b ? a : b;
        return at_least_zero && result < T{} ? T{} : result;
    }
};

struct Absolute {
    template <class T>
    T operator()(T a) const {
        return static_cast<T>(a < 0 ? Unsigned<T>{} - static_cast<Unsigned<T>>(a) : a);
    }
};

struct Negate {
    template <class T>
    T operator()(T a) const {
        return static_cast<T>(Unsigned<T>{} - static_cast<Unsigned<T>>(a));
    }
};

struct SumOfDifference {
    template <class T>
    T operator()(T a, T b, T c) const {
        using U = Unsigned<T>;
        const U difference =
            a < b ? static_cast<U>(b) - static_cast<U>(a) : static_cast<U>(a) - static_cast<U>(b);
        return static_cast<T>(static_cast<U>(c) + difference);
    }
};

// To f64 and back by conversions of signed 32-bit integers, which AVX2 has.
inline double to_double(std::int32_t a) { return a; }
inline double to_double(std::uint32_t a) {
    return static_cast<std::int32_t>(a ^ 0x80000000u) + 0x1p31;
}
inline double to_double(std::int16_t a) { return a; }
inline double to_double(std::uint16_t a) { return a; }

template <class T>
T truncate(double quotient) {
    if constexpr (std::is_same_v<T, std::uint32_t>) {
        return static_cast<std::uint32_t>(
                   static_cast<std::int32_t>(__builtin_floor(quotient) - 0x1p31)) ^
               0x80000000u;
    } else {
        return static_cast<T>(static_cast<std::int32_t>(quotient));
    }
}

// PTX leaves division by zero to the machine: all bits set, as GPUs do.
struct Divide {
    template <class T>
    T operator()(T a, T b) const {
        if constexpr (sizeof(T) <= 4) {
            // Exact: an f64 holds any quotient of 32-bit integers well enough to truncate it.
            const T divisor = b == 0 ? T{1} : b;
            double quotient = to_double(a) / to_double(divisor);
            // The smallest by -1 has no result of its type and wraps.
            if constexpr (std::is_same_v<T, std::int32_t>)
                quotient = quotient == 0x1p31 ? -0x1p31 : quotient;
            return b == 0 ? static_cast<T>(~T{}) : truncate<T>(quotient);
        } else {
            if (b == 0) return static_cast<T>(~T{});
            if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Negate{}(a);
            return a / b;
        }
    }
};

// By zero: all bits set, too (found on an H200).
struct Remainder {
    template <class T>
    T operator()(T a, T b) const {
        if constexpr (sizeof(T) <= 4) {
            const auto multiple =
                static_cast<std::uint32_t>(Divide{}(a, b)) * static_cast<std::uint32_t>(b);
            const auto rest = static_cast<T>(static_cast<std::uint32_t>(a) - multiple);
            return b == 0 ? static_cast<T>(~T{}) : rest;
        } else {
            if (b == 0) return static_cast<T>(~T{});
            if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
            return a % b;
        }
    }
};

// Where signedness does not matter, unsigned integers do the work for both.
template <class F, template <class> class Of, std::size_t arity>
Handler pick_of(const Form& form) {
    return with_integer(form.type(), [&]<class T>() -> Handler {
        using V = typename Of<T>::Type;
        if constexpr (arity == 1) return pick<F, V, V>(form);
        if constexpr (arity == 2) return pick<F, V, V, V>(form);
        if constexpr (arity == 3) return pick_rare<F, V, V, V, V>(form);
    });
}

template <class T>
struct Same {
    using Type = T;
};
template <class T>
struct AsUnsigned {
    using Type = Unsigned<T>;
};
template <class T>
struct AsSigned {
    using Type = std::make_signed_t<T>;
};

Handler find_sum(const Form& form, bool subtracts) {
    if (form.has("sat")) {
        if (form.type() != "s32" || !form.only({"sat"})) return nullptr;
        return subtracts
                   ? pick_rare<Saturated<true>, std::int32_t, std::int32_t, std::int32_t>(form)
                   : pick_rare<Saturated<false>, std::int32_t, std::int32_t, std::int32_t>(form);
    }
    if (!form.only({})) return nullptr;
    return subtracts ? pick_of<Subtract, AsUnsigned, 2>(form) : pick_of<Add, AsUnsigned, 2>(form);
}

}  // namespace

Arithmetic find_integer(const Form& form) {
    const std::string_view opcode = form.opcode;
    if (opcode == "add" || opcode == "sub") return {find_sum(form, opcode == "sub")};
    const bool relu = form.has("relu");
    if (relu ? form.type() != "s32" || !form.only({"relu"}) : !form.only({})) return {};
    if (opcode == "min") {
        return {relu ? pick_of<Minimum<true>, Same, 2>(form)
                     : pick_of<Minimum<false>, Same, 2>(form)};
    }
    if (opcode == "max") {
        return {relu ? pick_of<Maximum<true>, Same, 2>(form)
                     : pick_of<Maximum<false>, Same, 2>(form)};
    }
    if (relu) return {};
    if (opcode == "abs") return {pick_of<Absolute, AsSigned, 1>(form)};
    if (opcode == "neg") return {pick_of<Negate, AsUnsigned, 1>(form)};
    if (opcode == "sad") return {pick_of<SumOfDifference, Same, 3>(form)};
    if (opcode == "div") return {pick_of<Divide, Same, 2>(form)};
    if (opcode == "rem") return {pick_of<Remainder, Same, 2>(form)};
    return {};
}

}  // namespace emulator::simt
