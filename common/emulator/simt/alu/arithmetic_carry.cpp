// Extended precision: add.cc, addc, sub.cc, subc, mad.cc, madc. The carry flag is a predicate that the
// decoder appends as last source and second destination. A subtraction is the addition of the complement, and its
// flag the carry of that: set where nothing was borrowed, as an addc after it sees on an H200 and PTX does not say.
#include <type_traits>

#include "emulator/simt/alu/lanes.hpp"

namespace emulator::simt {

namespace {

template <class U>
struct Sum {
    U value;
    bool carry;
};

template <class U>
struct CarryAdd {
    static constexpr std::size_t terms = 2;
    static constexpr bool initial_carry = false;
    Sum<U> operator()(U a, U b, U, bool carry) const {
        const U sum = a + b, result = sum + carry;
        return {result, sum < a || result < sum};
    }
};

template <class U>
struct CarrySubtract {
    static constexpr std::size_t terms = 2;
    static constexpr bool initial_carry = true;
    Sum<U> operator()(U a, U b, U, bool carry) const {
        return CarryAdd<U>{}(a, static_cast<U>(~b), U{}, carry);
    }
};

template <class T, bool high>
struct CarryMultiplyAdd {
    static constexpr std::size_t terms = 3;
    static constexpr bool initial_carry = false;
    using U = std::make_unsigned_t<T>;
    Sum<U> operator()(U a, U b, U c, bool carry) const {
        using W = std::conditional_t<sizeof(T) == 4, std::int64_t, __int128>;
        U product = a * b;
        if constexpr (high && std::is_signed_v<T>) {
            product = static_cast<U>(W{static_cast<T>(a)} * W{static_cast<T>(b)} >> 8 * sizeof(T));
        } else if constexpr (high) {
            using WU = std::conditional_t<sizeof(T) == 4, std::uint64_t, unsigned __int128>;
            product = static_cast<U>(WU{a} * WU{b} >> 8 * sizeof(T));
        }
        return CarryAdd<U>{}(product, c, U{}, carry);
    }
};

template <class F, class U, bool reads, bool writes>
[[gnu::noinline]] void carry_operation(Warp& warp, const Operation& operation) {
    typename Either<U>::Scratch scratch[3];
    const Either<U> a(warp, operation, 0, scratch[0]), b(warp, operation, 1, scratch[1]);
    const Either<U> c(warp, operation, F::terms == 3 ? 2 : 1, scratch[2]);
    const std::uint32_t in = reads              ? warp.predicate(operation.source[F::terms])
                             : F::initial_carry ? ~0u
                                                : 0;
    alignas(64) U result[lanes_per_warp];
    std::uint32_t out = 0;
    for (int lane = 0; lane < lanes_per_warp; ++lane) {
        const auto [value, carry] = F{}(a[lane], b[lane], c[lane], in >> lane & 1);
        result[lane] = value;
        out |= static_cast<std::uint32_t>(carry) << lane;
    }
    blend_lanes(warp.lanes<U>(operation.destination), result, warp.mask);
    if constexpr (writes) {
        std::uint32_t& flag = warp.predicate(operation.second_destination);
        flag = (flag & ~warp.mask) | (out & warp.mask);
    }
}

template <class F, class U>
Arithmetic pick_carry(const Form& form, bool reads, bool writes) {
    // The decoder may or may not have appended the flag by now.
    const std::size_t sources = form.shapes.size() - form.destinations;
    if (sources < F::terms) return {};
    for (std::size_t i = 0; i < F::terms; ++i) {
        if (!Either<U>::fits(form.source(i))) return {};
    }
    if (form.shapes[0].register_bytes != sizeof(U)) return {};
    Arithmetic found{.execute = nullptr, .reads_carry = reads, .writes_carry = writes};
    found.execute =
        reads ? writes ? carry_operation<F, U, true, true> : carry_operation<F, U, true, false>
              : carry_operation<F, U, false, true>;
    return found;
}

}  // namespace

Arithmetic find_carry(const Form& form) {
    const bool reads = form.opcode == "addc" || form.opcode == "subc" || form.opcode == "madc";
    const bool writes = form.has("cc");
    if (!(reads || writes) || !form.only({"cc", "lo", "hi"})) return {};
    const std::string_view operation = form.opcode.substr(0, 3);
    const bool high = form.has("hi");
    const auto find = [&]<class T>() -> Arithmetic {
        if constexpr (sizeof(T) == 2) {
            return {};
        } else {
            using U = std::make_unsigned_t<T>;
            if (operation == "add") return pick_carry<CarryAdd<U>, U>(form, reads, writes);
            if (operation == "sub") return pick_carry<CarrySubtract<U>, U>(form, reads, writes);
            if (operation != "mad") return {};
            return high ? pick_carry<CarryMultiplyAdd<T, true>, U>(form, reads, writes)
                        : pick_carry<CarryMultiplyAdd<T, false>, U>(form, reads, writes);
        }
    };
    return with_integer(form.type(), find);
}

}  // namespace emulator::simt
