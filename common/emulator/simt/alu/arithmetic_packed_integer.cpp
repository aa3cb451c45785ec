// add, min, max, neg of two 16-bit integers in a register: s16x2, u16x2.
#include "emulator/simt/alu/lanes.hpp"

namespace emulator::simt {

namespace {

enum class PairOperation { add, min, max, min_relu, max_relu, negate };

template <class T, PairOperation operation>
T apply(T a, T b) {
    if constexpr (operation == PairOperation::add) return static_cast<T>(a + b);
    if constexpr (operation == PairOperation::negate) return static_cast<T>(-a);
    constexpr bool minimum =
        operation == PairOperation::min || operation == PairOperation::min_relu;
    const T result = (a < b) == minimum ? a : b;
    constexpr bool relu =
        operation == PairOperation::min_relu || operation == PairOperation::max_relu;
    return relu && result < T{} ? T{} : result;
}

template <class T, PairOperation operation>
struct Pairwise {
    std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
        const auto low = apply<T, operation>(static_cast<T>(a), static_cast<T>(b));
        const auto high = apply<T, operation>(static_cast<T>(a >> 16), static_cast<T>(b >> 16));
        return static_cast<std::uint16_t>(low) |
               static_cast<std::uint32_t>(static_cast<std::uint16_t>(high)) << 16;
    }
    std::uint32_t operator()(std::uint32_t a) const { return (*this)(a, a); }
};

template <class T>
Handler find_pairwise(const Form& form, bool relu) {
    using U = std::uint32_t;
    using enum PairOperation;
    if (form.opcode == "add" && !relu) return pick_rare<Pairwise<T, add>, U, U, U>(form);
    if (form.opcode == "neg" && !relu) return pick_rare<Pairwise<T, negate>, U, U>(form);
    if (form.opcode == "min") {
        return relu ? pick_rare<Pairwise<T, min_relu>, U, U, U>(form)
                    : pick_rare<Pairwise<T, min>, U, U, U>(form);
    }
    if (form.opcode == "max") {
        return relu ? pick_rare<Pairwise<T, max_relu>, U, U, U>(form)
                    : pick_rare<Pairwise<T, max>, U, U, U>(form);
    }
    return nullptr;
}

}  // namespace

Arithmetic find_packed_integer(const Form& form) {
    const bool relu = form.has("relu");
    if (!form.only({"relu"})) return {};
    if (form.type() == "s16x2") return {find_pairwise<std::int16_t>(form, relu)};
    if (form.type() == "u16x2" && !relu) return {find_pairwise<std::uint16_t>(form, false)};
    return {};
}

}  // namespace emulator::simt
