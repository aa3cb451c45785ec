// Comparison of the lanes of two sources to a bit mask.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace emulator::simt {

// Which outcomes of comparing a with b make a comparison true. eq is `equal`, geu is
// `greater | equal | unordered`, nan is `unordered`.
enum Outcome : std::uint8_t { less = 1, equal = 2, greater = 4, unordered = 8 };
using Relation = std::uint8_t;

// The relation that setp and set of floating-point numbers write as "eq", "geu", "nan" ...
std::optional<Relation> relation_of_floats(std::string_view name);

template <class T>
struct alignas(32) Group {  // what the CPU compares at once
    static constexpr int lanes = 32 / sizeof(T);
    typedef T Vector __attribute__((vector_size(32), may_alias));
    using Mask = decltype(Vector{} < Vector{});
};

// Bit i: whether lane i of the mask, 0 or -1, is set.
template <class T>
std::uint32_t bits_of_mask(typename Group<T>::Mask mask) {
#ifdef __AVX2__
    __m256i bits;
    std::memcpy(&bits, &mask, sizeof bits);
    if constexpr (sizeof(T) == 8) {
        return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(bits)));
    } else if constexpr (sizeof(T) == 4) {
        return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(bits)));
    } else {
        const __m128i bytes =
            _mm_packs_epi16(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
        return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes));
    }
#else
    std::uint32_t result = 0;
    for (int i = 0; i < Group<T>::lanes; ++i) result |= (mask[i] != 0 ? 1u : 0u) << i;
    return result;
#endif
}

template <class T, Relation relation>
typename Group<T>::Mask compare(const typename Group<T>::Vector& a,
                                const typename Group<T>::Vector& b) {
    if constexpr (relation == less) return a < b;
    if constexpr (relation == equal) return a == b;
    if constexpr (relation == greater) return a > b;
    if constexpr (relation == (less | equal)) return a <= b;
    if constexpr (relation == (greater | equal)) return a >= b;
    if constexpr (relation == (less | greater | unordered)) return a != b;
    if constexpr (relation == (less | greater)) {
        return std::is_integral_v<T> ? a != b : (a < b) | (a > b);
    }
    if constexpr (relation == unordered) return (a != a) | (b != b);
    if constexpr (relation == (less | equal | greater)) return (a == a) & (b == b);
    if constexpr (relation == (less | unordered)) return ~(a >= b);
    if constexpr (relation == (less | equal | unordered)) return ~(a > b);
    if constexpr (relation == (greater | unordered)) return ~(a <= b);
    if constexpr (relation == (greater | equal | unordered)) return ~(a < b);
    if constexpr (relation == (equal | unordered)) return ~((a < b) | (a > b));
}

// Subnormal numbers as zeros.
template <class T, bool ftz>
typename Group<T>::Vector flush_group(typename Group<T>::Vector value) {
    if constexpr (ftz) {
        using Bits = typename Group<std::int32_t>::Vector;
        const Bits bits = reinterpret_cast<const Bits&>(value);
        const Bits kept = (bits & 0x7f800000) != 0;
        const Bits flushed = bits & (kept | static_cast<std::int32_t>(0x80000000));
        return reinterpret_cast<const typename Group<T>::Vector&>(flushed);
    }
    return value;
}

// `a` and `b`: 32 lanes each.
template <class T, Relation relation, bool ftz>
std::uint32_t compare_lanes(const T* a, const T* b) {
    using Vector = typename Group<T>::Vector;
    std::uint32_t result = 0;
    for (int at = 0; at < 32; at += Group<T>::lanes) {
        const auto mask =
            compare<T, relation>(flush_group<T, ftz>(*reinterpret_cast<const Vector*>(a + at)),
                                 flush_group<T, ftz>(*reinterpret_cast<const Vector*>(b + at)));
        result |= bits_of_mask<T>(mask) << at;
    }
    return result;
}

template <class T, Relation relation, bool ftz>
std::uint32_t compare_lanes(const T* a, T b) {
    using Vector = typename Group<T>::Vector;
    const Vector all_b = flush_group<T, ftz>(Vector{} + b);
    std::uint32_t result = 0;
    for (int at = 0; at < 32; at += Group<T>::lanes) {
        const auto mask = compare<T, relation>(
            flush_group<T, ftz>(*reinterpret_cast<const Vector*>(a + at)), all_b);
        result |= bits_of_mask<T>(mask) << at;
    }
    return result;
}

// The same for a relation that is known only when executing.
template <class T, bool ftz>
std::uint32_t compare_lanes(Relation relation, const T* a, const T* b) {
    const std::uint32_t is_less = compare_lanes<T, less, ftz>(a, b);
    const std::uint32_t is_equal = compare_lanes<T, equal, ftz>(a, b);
    std::uint32_t is_unordered = 0;
    if constexpr (std::is_floating_point_v<T>)
        is_unordered = compare_lanes<T, unordered, ftz>(a, b);
    const std::uint32_t is_greater = ~(is_less | is_equal | is_unordered);
    return (relation & less ? is_less : 0) | (relation & equal ? is_equal : 0) |
           (relation & greater ? is_greater : 0) | (relation & unordered ? is_unordered : 0);
}

}  // namespace emulator::simt
