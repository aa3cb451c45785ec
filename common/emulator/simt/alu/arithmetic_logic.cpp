// and, or, xor, not, cnot, lop3, shl, shr, shf; and, or, xor, not of predicates.
#include <type_traits>

#include "emulator/simt/alu/lanes.hpp"

namespace emulator::simt {

namespace {

struct And {
    template <class T>
    T operator()(T a, T b) const {
        return a & b;
    }
};
struct Or {
    template <class T>
    T operator()(T a, T b) const {
        return a | b;
    }
};
struct Xor {
    template <class T>
    T operator()(T a, T b) const {
        return a ^ b;
    }
};
struct Not {
    template <class T>
    T operator()(T a) const {
        return static_cast<T>(~a);
    }
};
struct LogicalNot {
    template <class T>
    T operator()(T a) const {
        return a == 0;
    }
};

// Shifts by the width or more leave zeros, of shr.s* copies of the sign.
struct ShiftLeft {
    template <class T>
    T operator()(T a, std::uint32_t by) const {
        constexpr std::uint32_t bits = 8 * sizeof(T);
        return by < bits ? static_cast<T>(a << (by & (bits - 1))) : T{};
    }
};
struct ShiftRight {
    template <class T>
    T operator()(T a, std::uint32_t by) const {
        constexpr std::uint32_t bits = 8 * sizeof(T);
        if constexpr (std::is_signed_v<T>) {
            return static_cast<T>(a >> (by < bits ? by : bits - 1));
        } else {
            return by < bits ? static_cast<T>(a >> (by & (bits - 1))) : T{};
        }
    }
};

// The pair {b, a} shifted; of shf.l the upper, of shf.r the lower word.
template <bool left, bool wrap>
struct FunnelShift {
    std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t by) const {
        const std::uint32_t n = wrap ? by & 31 : by < 32 ? by : 32;
        const std::uint32_t in_place = left ? b : a, all_moved = left ? a : b;
        const std::uint32_t moved =
            left ? b << (n & 31) | a >> ((32 - n) & 31) : a >> (n & 31) | b << ((32 - n) & 31);
        return n == 0 ? in_place : n == 32 ? all_moved : moved;
    }
};

// Any function of three bits: bit (a, b, c) of the table. The table is the immediate.
void lookup_logic(Warp& warp, const Operation& operation) {
    const std::uint32_t* const a = warp.lanes<std::uint32_t>(operation.source[0]);
    const std::uint32_t* const b = warp.lanes<std::uint32_t>(operation.source[1]);
    const std::uint32_t* const c = warp.lanes<std::uint32_t>(operation.source[2]);
    std::uint32_t row[8];  // all bits set where the table has a 1
    for (int i = 0; i < 8; ++i) row[i] = operation.immediate >> i & 1 ? all_lanes : 0;
    alignas(64) std::uint32_t result[lanes_per_warp];
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        const std::uint32_t x = a[lane], y = b[lane], z = c[lane];
        const std::uint32_t y0 = (row[0] & ~z) | (row[1] & z), y1 = (row[2] & ~z) | (row[3] & z);
        const std::uint32_t y2 = (row[4] & ~z) | (row[5] & z), y3 = (row[6] & ~z) | (row[7] & z);
        result[lane] = (((y0 & ~y) | (y1 & y)) & ~x) | (((y2 & ~y) | (y3 & y)) & x);
    }
    blend_lanes(warp.lanes<std::uint32_t>(operation.destination), result, warp.mask);
}

// Bits of Operation::variant: which sources are negated.
constexpr std::uint16_t negates_first = 1, negates_second = 2;

std::uint32_t flag_of(Warp& warp, const Operation& operation, std::size_t source) {
    const std::uint32_t bits = operation.source[source] == no_register
                                   ? (operation.immediate != 0 ? all_lanes : 0)
                                   : warp.predicate(operation.source[source]);
    return operation.variant >> source & 1 ? ~bits : bits;
}

template <class F, bool is_unary>
void predicate_logic(Warp& warp, const Operation& operation) {
    const std::uint32_t a = flag_of(warp, operation, 0);
    std::uint32_t result;
    if constexpr (is_unary) {
        result = F{}(a);
    } else {
        result = F{}(a, flag_of(warp, operation, 1));
    }
    std::uint32_t& destination = warp.predicate(operation.destination);
    destination = (destination & ~warp.mask) | (result & warp.mask);
}

struct Identity {
    std::uint32_t operator()(std::uint32_t a) const { return a; }
};

Arithmetic find_predicate_logic(const Form& form) {
    for (const OperandShape& shape : form.shapes) {
        if (shape.register_bytes != 0) return {};
    }
    Arithmetic found;
    if (form.source(0).is_negated_predicate) found.variant |= negates_first;
    if (form.sources() == 1) {
        if (form.opcode == "not") found.execute = predicate_logic<Not, true>;
        if (form.opcode == "mov") found.execute = predicate_logic<Identity, true>;
        return found;
    }
    if (form.sources() != 2) return {};
    if (form.source(1).is_negated_predicate) found.variant |= negates_second;
    if (form.opcode == "and") found.execute = predicate_logic<And, false>;
    if (form.opcode == "or") found.execute = predicate_logic<Or, false>;
    if (form.opcode == "xor") found.execute = predicate_logic<Xor, false>;
    return found;
}

Handler find_shift(const Form& form) {
    return with_integer(form.type(), [&]<class T>() -> Handler {
        using U = std::make_unsigned_t<T>;
        if (form.opcode == "shl") return pick<ShiftLeft, U, U, std::uint32_t>(form);
        return pick<ShiftRight, T, T, std::uint32_t>(form);
    });
}

Handler find_funnel_shift(const Form& form) {
    using U = std::uint32_t;
    if (form.type() != "b32" || !form.only({"l", "r", "clamp", "wrap"})) return nullptr;
    if (form.has("l")) {
        return form.has("wrap") ? pick<FunnelShift<true, true>, U, U, U, U>(form)
                                : pick<FunnelShift<true, false>, U, U, U, U>(form);
    }
    return form.has("wrap") ? pick<FunnelShift<false, true>, U, U, U, U>(form)
                            : pick<FunnelShift<false, false>, U, U, U, U>(form);
}

Handler find_lookup_logic(const Form& form) {
    if (form.type() != "b32" || !form.only({}) || form.sources() != 4) return nullptr;
    for (std::size_t i = 0; i < 3; ++i) {
        if (!Lanes<std::uint32_t>::fits(form.source(i))) return nullptr;
    }
    return form.source(3).is_immediate ? lookup_logic : nullptr;
}

}  // namespace

Arithmetic find_logic(const Form& form) {
    const std::string_view opcode = form.opcode;
    if (form.type() == "pred") return find_predicate_logic(form);
    if (opcode == "shf") return {find_funnel_shift(form)};
    if (opcode == "lop3") return {find_lookup_logic(form)};
    if (!form.only({})) return {};
    if (opcode == "shl" || opcode == "shr") return {find_shift(form)};
    return {with_integer(form.type(), [&]<class T>() -> Handler {
        using U = std::make_unsigned_t<T>;
        if (opcode == "and") return pick<And, U, U, U>(form);
        if (opcode == "or") return pick<Or, U, U, U>(form);
        if (opcode == "xor") return pick<Xor, U, U, U>(form);
        if (opcode == "not") return pick<Not, U, U>(form);
        if (opcode == "cnot") return pick_rare<LogicalNot, U, U>(form);
        return nullptr;
    })};
}

}  // namespace emulator::simt
