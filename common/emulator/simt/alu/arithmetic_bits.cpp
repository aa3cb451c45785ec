// Bits of integers: popc, clz, bfind, fns, brev, bfe, bfi, bmsk, szext, prmt.
#include <cstddef>
#include <limits>
#include <type_traits>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "emulator/simt/alu/lanes.hpp"

namespace emulator::simt {

namespace {

// Bits by halving, which the compiler vectorises; AVX2 has no instruction for it.
template <class T>
std::uint32_t count_bits(T a) {
    constexpr T odd = static_cast<T>(0x5555555555555555u),
                pairs = static_cast<T>(0x3333333333333333u);
    constexpr T nibbles = static_cast<T>(0x0f0f0f0f0f0f0f0fu),
                ones = static_cast<T>(0x0101010101010101u);
    a = a - (a >> 1 & odd);
    a = (a & pairs) + (a >> 2 & pairs);
    a = (a + (a >> 4)) & nibbles;
    return static_cast<std::uint32_t>(a * ones >> (8 * sizeof(T) - 8));
}

template <class T>
std::uint32_t count_leading_zeros(T a) {
    for (std::size_t by = 1; by < 8 * sizeof(T); by *= 2) a |= a >> by;
    return count_bits(static_cast<T>(~a));
}

struct PopulationCount {
    template <class T>
    std::uint32_t operator()(T a) const {
        return count_bits(a);
    }
};

struct LeadingZeros {
    template <class T>
    std::uint32_t operator()(T a) const {
        return count_leading_zeros(a);
    }
};

// Position of the most significant bit that is not a sign; none: all bits set.
template <bool as_shift>
struct FindLeading {
    template <class T>
    std::uint32_t operator()(T a) const {
        using U = std::make_unsigned_t<T>;
        const auto bits = static_cast<U>(a);
        const U value = std::is_signed_v<T> && a < 0 ? static_cast<U>(~bits) : bits;
        const std::uint32_t zeros = count_leading_zeros(value);
        const std::uint32_t found =
            as_shift ? zeros : static_cast<std::uint32_t>(8 * sizeof(T)) - 1 - zeros;
        return value == 0 ? all_lanes : found;
    }
};

// The n-th set bit counted from `base`, upwards or, for n < 0, downwards; n = 0: whether `base` is set.
// The smallest n gives 0 (found on an H200).
struct FindNthSet {
    std::uint32_t operator()(std::uint32_t mask, std::uint32_t base, std::int32_t offset) const {
        if (offset == std::numeric_limits<std::int32_t>::min()) return 0;
        if (base > 31) return all_lanes;
        if (offset == 0) return mask >> base & 1 ? base : all_lanes;
        const int step = offset > 0 ? 1 : -1;
        std::int32_t left = offset > 0 ? offset : -offset;
        for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
            if (mask >> at & 1 && --left == 0) return static_cast<std::uint32_t>(at);
        }
        return all_lanes;
    }
};

struct Reverse {
    template <class T>
    T operator()(T a) const {
        constexpr T odd = static_cast<T>(0x5555555555555555u),
                    pairs = static_cast<T>(0x3333333333333333u);
        constexpr T nibbles = static_cast<T>(0x0f0f0f0f0f0f0f0fu);
        a = (a >> 1 & odd) | (a & odd) << 1;
        a = (a >> 2 & pairs) | (a & pairs) << 2;
        a = (a >> 4 & nibbles) | (a & nibbles) << 4;
        if constexpr (sizeof(T) == 4) return __builtin_bswap32(a);
        if constexpr (sizeof(T) == 8) return __builtin_bswap64(a);
    }
};

// Positions and lengths of fields are 0 to 255. The PTX ISA leaves others open; on an H200 the low 8 bits
// count where fields lie in 32 bits, all 32 where they lie in 64, and from 64 on there is no difference.
template <class T>
std::uint32_t field_count(std::uint32_t value) {
    if constexpr (sizeof(T) == 4) return value & 0xff;
    return value < 255 ? value : 255;
}

// Bits from `position`, of a length of up to 255; past the end: zeros, or the sign of the field, which is
// the bit that is its last one within the register.
struct ExtractField {
    template <class T>
    T operator()(T a, std::uint32_t position, std::uint32_t length) const {
        constexpr std::uint32_t width = 8 * sizeof(T);
        using U = std::make_unsigned_t<T>;
        const std::uint32_t at = field_count<T>(position), count = field_count<T>(length);
        const auto bits = static_cast<U>(a);
        const U shifted = at < width ? bits >> (at & (width - 1)) : U{};
        const U kept = count < width ? static_cast<U>((U{1} << (count & (width - 1))) - 1) : ~U{};
        U result = shifted & kept;
        if constexpr (std::is_signed_v<T>) {
            const std::uint32_t last = at + count - 1 < width - 1 ? at + count - 1 : width - 1;
            const bool sign = count != 0 && (bits >> (last & (width - 1)) & 1);
            const std::uint32_t held = at < width ? (count < width - at ? count : width - at) : 0;
            const U above = held < width ? static_cast<U>(~U{} << (held & (width - 1))) : U{};
            if (sign) result |= above;
        }
        return static_cast<T>(result);
    }
};

struct InsertField {
    template <class T>
    T operator()(T field, T into, std::uint32_t position, std::uint32_t length) const {
        constexpr std::uint32_t width = 8 * sizeof(T);
        const std::uint32_t at = field_count<T>(position), count = field_count<T>(length);
        const T low = count < width ? static_cast<T>((T{1} << (count & (width - 1))) - 1) : ~T{};
        const T mask = at < width ? static_cast<T>(low << (at & (width - 1))) : T{};
        const T moved = at < width ? static_cast<T>(field << (at & (width - 1))) : T{};
        return (into & ~mask) | (moved & mask);
    }
};

// `length` ones from `position`.
template <bool wrap>
struct BitMask {
    std::uint32_t operator()(std::uint32_t position, std::uint32_t length) const {
        const std::uint32_t at = wrap ? position & 31 : position;
        const std::uint32_t count = wrap ? length & 31 : length;
        if (at > 31) return 0;
        const std::uint32_t ones = count > 31 ? all_lanes : (1u << count) - 1;
        return ones << at;
    }
};

template <bool wrap>
struct SizeExtend {
    template <class T>
    T operator()(T a, std::uint32_t bits) const {
        const std::uint32_t count = wrap ? bits & 31 : bits;
        if (count > 31) return a;
        if (count == 0) return 0;
        const auto moved = static_cast<T>(static_cast<std::uint32_t>(a) << (32 - count));
        return static_cast<T>(moved >> (32 - count));
    }
};

enum class Permutation { any, f4e, b4e, rc8, ecl, ecr, rc16 };

// Byte numbers that a mode takes, a nibble each, by the two low bits of the selector.
template <Permutation mode>
std::uint32_t selector_of(std::uint32_t selector) {
    static constexpr std::uint16_t tables[6][4] = {
        {0x3210, 0x4321, 0x5432, 0x6543},  // f4e
        {0x5670, 0x6701, 0x7012, 0x0123},  // b4e
        {0x0000, 0x1111, 0x2222, 0x3333},  // rc8
        {0x3210, 0x3211, 0x3222, 0x3333},  // ecl
        {0x0000, 0x1110, 0x2210, 0x3210},  // ecr
        {0x1010, 0x3232, 0x1010, 0x3232},  // rc16
    };
    if constexpr (mode == Permutation::any) return selector;
    return tables[static_cast<int>(mode) - 1][selector & 3];
}

template <Permutation mode>
struct Permute {
    std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
        const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
        const std::uint32_t selector = selector_of<mode>(c);
        std::uint32_t result = 0;
        for (int i = 0; i < 4; ++i) {
            const std::uint32_t choice = selector >> 4 * i & 0xf;
            const auto byte = static_cast<std::uint32_t>(bytes >> 8 * (choice & 7)) & 0xff;
            // The most significant bit of a choice replicates the byte's sign.
            const std::uint32_t copied = choice & 8 ? (byte >> 7) * 0xff : byte;
            result |= copied << 8 * i;
        }
        return result;
    }
};

// The selector is an immediate: each byte comes from the same place in all lanes.
void permute_fixed(Warp& warp, const Operation& operation) {
    const std::uint32_t* const words[2] = {warp.lanes<std::uint32_t>(operation.source[0]),
                                           warp.lanes<std::uint32_t>(operation.source[1])};
    struct Byte {
        const std::uint32_t* from;
        std::uint32_t shift, kept, moved, factor;
        explicit Byte(const std::uint32_t* const (&all)[2], std::uint64_t choice)
            : from(all[choice >> 2 & 1]),
              shift(static_cast<std::uint32_t>(8 * (choice & 3))),
              kept(choice & 8 ? 0x80 : 0xff),
              moved(choice & 8 ? 7 : 0),
              factor(choice & 8 ? 0xff : 1) {}
        std::uint32_t of(int lane) const {
            return ((from[lane] >> shift & kept) >> moved) * factor;
        }
    };
    const Byte byte_0(words, operation.immediate), byte_1(words, operation.immediate >> 4);
    const Byte byte_2(words, operation.immediate >> 8), byte_3(words, operation.immediate >> 12);
    alignas(64) std::uint32_t result[lanes_per_warp];
#pragma GCC ivdep
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        result[lane] =
            byte_0.of(lane) | byte_1.of(lane) << 8 | byte_2.of(lane) << 16 | byte_3.of(lane) << 24;
    }
    blend(warp.lanes<std::uint32_t>(operation.destination), result, warp.mask);
}

#ifdef __AVX2__
// By the byte permutation of vectors, which makes zeros where the most significant bit of a choice is set.
void permute_fixed_vectors(Warp& warp, const Operation& operation) {
    const auto selector = static_cast<std::uint32_t>(operation.immediate);
    if (selector & 0x8888) return permute_fixed(warp, operation);
    std::uint32_t of_a = 0, of_b = 0;
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t choice = selector >> 4 * i & 7, at = choice & 3;
        of_a |= (choice < 4 ? at : 0x80) << 8 * i;
        of_b |= (choice < 4 ? 0x80 : at) << 8 * i;
    }
    const __m256i lanes = _mm256_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c, 0, 0x04040404,
                                            0x08080808, 0x0c0c0c0c);
    const __m256i from_a = _mm256_add_epi8(_mm256_set1_epi32(static_cast<int>(of_a)), lanes);
    const __m256i from_b = _mm256_add_epi8(_mm256_set1_epi32(static_cast<int>(of_b)), lanes);
    const auto* const a = warp.lanes<__m256i>(operation.source[0]);
    const auto* const b = warp.lanes<__m256i>(operation.source[1]);
    alignas(64) std::uint32_t result[lanes_per_warp];
    for (int i = 0; i < 4; ++i) {
        reinterpret_cast<__m256i*>(result)[i] =
            _mm256_or_si256(_mm256_shuffle_epi8(a[i], from_a), _mm256_shuffle_epi8(b[i], from_b));
    }
    blend(warp.lanes<std::uint32_t>(operation.destination), result, warp.mask);
}
#else
constexpr Handler permute_fixed_vectors = permute_fixed;
#endif

Handler find_permute(const Form& form) {
    using U = std::uint32_t;
    if (form.type() == "b32" && fits<U, Lanes<U>, Lanes<U>, Immediate<U>>(form))
        return permute_fixed_vectors;
    if (form.type() == "b32") return pick<Permute<Permutation::any>, U, U, U, U>(form);
    if (form.type(1) != "b32") return nullptr;
    if (form.has("f4e")) return pick_rare<Permute<Permutation::f4e>, U, U, U, U>(form);
    if (form.has("b4e")) return pick_rare<Permute<Permutation::b4e>, U, U, U, U>(form);
    if (form.has("rc8")) return pick_rare<Permute<Permutation::rc8>, U, U, U, U>(form);
    if (form.has("ecl")) return pick_rare<Permute<Permutation::ecl>, U, U, U, U>(form);
    if (form.has("ecr")) return pick_rare<Permute<Permutation::ecr>, U, U, U, U>(form);
    if (form.has("rc16")) return pick_rare<Permute<Permutation::rc16>, U, U, U, U>(form);
    return nullptr;
}

template <class T>
Handler find_typed(const Form& form) {
    using U = std::make_unsigned_t<T>;
    using Count = std::uint32_t;
    const std::string_view opcode = form.opcode;
    if (opcode == "popc") return pick_rare<PopulationCount, Count, U>(form);
    if (opcode == "clz") return pick_rare<LeadingZeros, Count, U>(form);
    if (opcode == "brev") return pick_rare<Reverse, U, U>(form);
    if (opcode == "bfe") return pick_rare<ExtractField, T, T, Count, Count>(form);
    if (opcode == "bfi") return pick_rare<InsertField, U, U, U, Count, Count>(form);
    if (opcode == "bfind") {
        return form.has("shiftamt") ? pick_rare<FindLeading<true>, Count, T>(form)
                                    : pick_rare<FindLeading<false>, Count, T>(form);
    }
    if constexpr (sizeof(T) == 4) {
        if (opcode == "fns") return pick_rare<FindNthSet, U, U, U, std::int32_t>(form);
        if (opcode == "bmsk") {
            return form.has("wrap") ? pick_rare<BitMask<true>, U, U, U>(form)
                                    : pick_rare<BitMask<false>, U, U, U>(form);
        }
        if (opcode == "szext") {
            return form.has("wrap") ? pick_rare<SizeExtend<true>, T, T, U>(form)
                                    : pick_rare<SizeExtend<false>, T, T, U>(form);
        }
    }
    return nullptr;
}

}  // namespace

Arithmetic find_bits(const Form& form) {
    if (form.opcode == "prmt") return {find_permute(form)};
    if (!form.only({"shiftamt", "wrap", "clamp"})) return {};
    return {with_integer(form.type(), [&]<class T>() -> Handler {
        if constexpr (sizeof(T) == 2)
            return nullptr;
        else
            return find_typed<T>(form);
    })};
}

}  // namespace emulator::simt
