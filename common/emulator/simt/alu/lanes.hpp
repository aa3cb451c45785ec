// Parts of handlers of arithmetic: sources that are registers, immediates or predicates, the loop
// over 32 lanes that the compiler vectorises, and the choice of an instantiation by an instruction's form.
//
// A handler computes all lanes: straight into the destination where all execute, else aside, and blends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "emulator/simt/alu/arithmetic_form.hpp"
#include "emulator/simt/state/operation.hpp"

namespace emulator::simt {

constexpr int lanes_per_warp = 32;
constexpr std::uint32_t all_lanes = 0xffffffffu;

// Copies the lanes in `mask`.
void blend(std::uint16_t* to, const std::uint16_t* from, std::uint32_t mask);
void blend(std::uint32_t* to, const std::uint32_t* from, std::uint32_t mask);
void blend(std::uint64_t* to, const std::uint64_t* from, std::uint32_t mask);

template <std::size_t bytes>
struct BitsOfSize;
template <>
struct BitsOfSize<2> {
    using Type = std::uint16_t;
};
template <>
struct BitsOfSize<4> {
    using Type = std::uint32_t;
};
template <>
struct BitsOfSize<8> {
    using Type = std::uint64_t;
};

template <class T>
void blend_lanes(T* to, const T* from, std::uint32_t mask) {
    using Bits = typename BitsOfSize<sizeof(T)>::Type;
    blend(reinterpret_cast<Bits*>(to), reinterpret_cast<const Bits*>(from), mask);
}

// ---- sources -------------------------------------------------------------------------------------

struct NoScratch {};

template <class T>
struct Lanes {
    using Scratch = NoScratch;
    const T* values;
    Lanes(Warp& warp, const Operation& operation, std::size_t source, Scratch&)
        : values(std::assume_aligned<64>(warp.lanes<T>(operation.source[source]))) {}
    T operator[](int lane) const { return values[lane]; }
    static bool fits(const OperandShape& shape) {
        return !shape.is_immediate && shape.register_bytes == sizeof(T);
    }
};

template <class T>
T immediate_of(const Operation& operation) {
    T value;
    std::memcpy(&value, &operation.immediate, sizeof value);
    return value;
}

template <class T>
struct Immediate {
    using Scratch = NoScratch;
    T value;
    Immediate(Warp&, const Operation& operation, std::size_t, Scratch&)
        : value(immediate_of<T>(operation)) {}
    T operator[](int) const { return value; }
    static bool fits(const OperandShape& shape) { return shape.is_immediate; }
};

// A register, or an immediate that is copied to all lanes first: for instructions that are too rare to
// have an instantiation for each.
template <class T>
struct Either {
    struct Scratch {
        alignas(64) T values[lanes_per_warp];
        Scratch() {}  // left uninitialised
    };
    const T* values;
    Either(Warp& warp, const Operation& operation, std::size_t source, Scratch& scratch) {
        if (operation.source[source] == no_register) {
            const T value = immediate_of<T>(operation);
            for (T& lane : scratch.values) lane = value;
            values = scratch.values;
        } else {
            values = warp.lanes<T>(operation.source[source]);
        }
    }
    T operator[](int lane) const { return values[lane]; }
    static bool fits(const OperandShape& shape) {
        return Immediate<T>::fits(shape) || Lanes<T>::fits(shape);
    }
};

// Bits of Operation::variant that several handlers share.
constexpr std::uint16_t variant_negated_predicate = 0x8000;

inline std::uint32_t predicate_source(Warp& warp, const Operation& operation, std::size_t source) {
    const std::uint32_t bits = operation.source[source] == no_register
                                   ? (operation.immediate != 0 ? all_lanes : 0)
                                   : warp.predicate(operation.source[source]);
    return operation.variant & variant_negated_predicate ? ~bits : bits;
}

struct Flag {
    using Scratch = NoScratch;
    std::uint32_t bits;
    Flag(Warp& warp, const Operation& operation, std::size_t source, Scratch&)
        : bits(predicate_source(warp, operation, source)) {}
    std::uint32_t operator[](int lane) const { return bits >> lane & 1; }
    static bool fits(const OperandShape& shape) { return shape.register_bytes == 0; }
};

// ---- the loop ------------------------------------------------------------------------------------

template <class F, class R, class... S, std::size_t... I>
inline void map_lanes(Warp& warp, const Operation& operation, std::index_sequence<I...>) {
    std::tuple<typename S::Scratch...> scratch;
    R* const destination = std::assume_aligned<64>(warp.lanes<R>(operation.destination));
    [&](const S&... sources) {
        alignas(64) R aside[lanes_per_warp];
        R* const result =
            std::assume_aligned<64>(warp.mask == all_lanes ? destination : static_cast<R*>(aside));
        // Registers overlap wholly or not at all.
#pragma GCC ivdep
        for (int lane = 0; lane < lanes_per_warp; ++lane) result[lane] = F{}(sources[lane]...);
        if (result != destination) blend_lanes(destination, result, warp.mask);
    }(S(warp, operation, I, std::get<I>(scratch))...);
}

// The handler of function object F, which maps a value of each source to an R.
template <class F, class R, class... S>
[[gnu::noinline]] void map(Warp& warp, const Operation& operation) {
    map_lanes<F, R, S...>(warp, operation, std::index_sequence_for<S...>{});
}

// ---- the choice of an instantiation ----------------------------------------------------------------

template <class... S, std::size_t... I>
bool sources_fit(const Form& form, std::index_sequence<I...>) {
    return form.sources() == sizeof...(S) && (S::fits(form.source(I)) && ...);
}

template <class R, class... S>
bool fits(const Form& form) {
    return form.destinations == 1 && form.shapes[0].register_bytes == sizeof(R) &&
           sources_fit<S...>(form, std::index_sequence_for<S...>{});
}

template <class T>
using EitherOrFlag = std::conditional_t<std::is_same_v<T, Flag>, Flag, Either<T>>;

// For rare instructions: one instantiation. Null where the operands are not of the sizes of A.
template <class F, class R, class... A>
Handler pick_rare(const Form& form) {
    return fits<R, EitherOrFlag<A>...>(form) ? map<F, R, EitherOrFlag<A>...> : nullptr;
}

template <class T, bool is_immediate>
using LanesOrImmediate =
    std::conditional_t<std::is_same_v<T, Flag>, Flag,
                       std::conditional_t<is_immediate, Immediate<T>, Lanes<T>>>;

template <class F, class R, std::size_t immediate, class... A, std::size_t... I>
Handler pick_with_immediate(const Form& form, std::index_sequence<I...>) {
    return fits<R, LanesOrImmediate<A, I == immediate>...>(form)
               ? map<F, R, LanesOrImmediate<A, I == immediate>...>
               : nullptr;
}

template <class F, class R, class... A, std::size_t... I>
Handler pick_frequent(const Form& form, std::index_sequence<I...> indices) {
    Handler handler = pick_with_immediate<F, R, sizeof...(A), A...>(form, indices);
    ((handler = handler ? handler : pick_with_immediate<F, R, I, A...>(form, indices)), ...);
    return handler;
}

// For frequent instructions: an instantiation for registers alone and one for each source that can be an
// immediate.
template <class F, class R, class... A>
Handler pick(const Form& form) {
    return pick_frequent<F, R, A...>(form, std::index_sequence_for<A...>{});
}

}  // namespace emulator::simt
