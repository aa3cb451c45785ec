#include "emulator/simt/memory/atomics.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "emulator/simt/alu/values/half_values.hpp"
#include "emulator/simt/memory/generic_memory.hpp"
#include "emulator/simt/record/hazard_checks.hpp"
#include "emulator/simt/state/cluster.hpp"
#include "emulator/simt/state/launch.hpp"

namespace emulator::simt {
namespace {

// ---- the functions -------------------------------------------------------------------------------

// Two bytes of memory that are a number of `Format`.
template <class Format>
struct Stored {
    std::uint16_t bits;
    explicit operator float() const { return Format::to_float(bits); }
    static Stored from(float value) { return {Format::from_float(value)}; }
};
using Float16 = Stored<Half>;
using BFloat16 = Stored<BrainHalf>;

struct Add {
    template <class T>
    static T apply(T old, T value, T) {
        if constexpr (std::is_arithmetic_v<T>) {
            return static_cast<T>(old + value);
        } else {
            return T::from(static_cast<float>(old) + static_cast<float>(value));
        }
    }
};
struct Min {
    template <class T>
    static T apply(T old, T value, T) {
        if constexpr (std::is_integral_v<T>)
            return std::min(old, value);
        else if constexpr (std::is_arithmetic_v<T>)
            return std::fmin(old, value);
        else
            return T::from(std::fmin(static_cast<float>(old), static_cast<float>(value)));
    }
};
struct Max {
    template <class T>
    static T apply(T old, T value, T) {
        if constexpr (std::is_integral_v<T>)
            return std::max(old, value);
        else if constexpr (std::is_arithmetic_v<T>)
            return std::fmax(old, value);
        else
            return T::from(std::fmax(static_cast<float>(old), static_cast<float>(value)));
    }
};
struct And {
    template <class T>
    static T apply(T old, T value, T) {
        return old & value;
    }
};
struct Or {
    template <class T>
    static T apply(T old, T value, T) {
        return old | value;
    }
};
struct Xor {
    template <class T>
    static T apply(T old, T value, T) {
        return old ^ value;
    }
};
struct Exchange {
    template <class T>
    static T apply(T, T value, T) {
        return value;
    }
};
struct CompareAndSwap {
    template <class T>
    static T apply(T old, T value, T compare) {
        return old == compare ? value : old;
    }
};
struct Increment {
    template <class T>
    static T apply(T old, T value, T) {
        return old >= value ? T{0} : old + 1;
    }
};
struct Decrement {
    template <class T>
    static T apply(T old, T value, T) {
        return old == 0 || old > value ? value : old - 1;
    }
};

// Two halves, updated one by one.
template <class Half>
struct Pair {
    Half low, high;
};

template <class T, class F>
struct Updated {
    static T of(T old, T value, T compare) { return F::apply(old, value, compare); }
};
template <class Half, class F>
struct Updated<Pair<Half>, F> {
    static Pair<Half> of(Pair<Half> old, Pair<Half> value, Pair<Half> compare) {
        return {F::apply(old.low, value.low, compare.low),
                F::apply(old.high, value.high, compare.high)};
    }
};

template <std::size_t bytes>
using BitsOf = std::conditional_t<bytes == 2, std::uint16_t,
                                  std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>;

template <class T, class F>
bool apply(std::byte* base, const std::uint32_t* offsets, std::uint32_t mask, std::byte* result,
           const std::byte* value, const std::byte* compare) {
    using Bits = BitsOf<sizeof(T)>;
    bool changed = false;
    for (; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        T operand, other{};
        std::memcpy(&operand, value + std::size_t(lane) * sizeof(T), sizeof(T));
        if (compare != nullptr)
            std::memcpy(&other, compare + std::size_t(lane) * sizeof(T), sizeof(T));
        // Other workers may update the same word.
        std::atomic_ref<Bits> place(*reinterpret_cast<Bits*>(base + offsets[lane]));
        Bits old = place.load(std::memory_order_relaxed);
        Bits updated;
        do {
            updated = std::bit_cast<Bits>(Updated<T, F>::of(std::bit_cast<T>(old), operand, other));
        } while (!place.compare_exchange_weak(old, updated, std::memory_order_relaxed));
        changed |= updated != old;
        if (result != nullptr) std::memcpy(result + std::size_t(lane) * sizeof(T), &old, sizeof(T));
    }
    return changed;
}

using Apply = decltype(AtomicDetail::apply);

template <class F, class... Types>
struct Choice {
    template <class T>
    static Apply of() {
        if constexpr ((std::is_same_v<T, Types> || ...)) return apply<T, F>;
        return nullptr;
    }
};

template <class F, class... Types>
Apply by_type(std::string_view type) {
    using C = Choice<F, Types...>;
    if (type == "u16" || type == "b16") return C::template of<std::uint16_t>();
    if (type == "u32" || type == "b32") return C::template of<std::uint32_t>();
    if (type == "u64" || type == "b64") return C::template of<std::uint64_t>();
    if (type == "s32") return C::template of<std::int32_t>();
    if (type == "s64") return C::template of<std::int64_t>();
    if (type == "f32") return C::template of<float>();
    if (type == "f64") return C::template of<double>();
    if (type == "f16") return C::template of<Float16>();
    if (type == "bf16") return C::template of<BFloat16>();
    if (type == "f16x2") return C::template of<Pair<Float16>>();
    if (type == "bf16x2") return C::template of<Pair<BFloat16>>();
    return nullptr;
}

}  // namespace

Apply find_atomic(std::string_view operation, std::string_view type) {
    using U16 = std::uint16_t;
    using U32 = std::uint32_t;
    using U64 = std::uint64_t;
    using S32 = std::int32_t;
    using S64 = std::int64_t;
    using H2 = Pair<Float16>;
    using B2 = Pair<BFloat16>;
    if (operation == "add") {
        return by_type<Add, U32, U64, S32, S64, float, double, Float16, BFloat16, H2, B2>(type);
    }
    if (operation == "min")
        return by_type<Min, U32, U64, S32, S64, Float16, BFloat16, H2, B2>(type);
    if (operation == "max")
        return by_type<Max, U32, U64, S32, S64, Float16, BFloat16, H2, B2>(type);
    if (operation == "and") return by_type<And, U32, U64>(type);
    if (operation == "or") return by_type<Or, U32, U64>(type);
    if (operation == "xor") return by_type<Xor, U32, U64>(type);
    if (operation == "exch") return by_type<Exchange, U32, U64>(type);
    if (operation == "cas") return by_type<CompareAndSwap, U16, U32, U64>(type);
    if (operation == "inc") return by_type<Increment, U32>(type);
    if (operation == "dec") return by_type<Decrement, U32>(type);
    return nullptr;
}

bool is_loop_in_shared(std::string_view operation, std::string_view type) {
    static constexpr std::array<std::string_view, 6> types = {"f32", "f16x2", "bf16x2",
                                                              "f64", "u64",   "s64"};
    return operation == "add" && std::ranges::find(types, type) != types.end();
}

bool depends_on_order(std::string_view operation, std::string_view type) {
    const bool integer = type[0] == 'u' || type[0] == 's' || type[0] == 'b';
    const bool commutes = operation == "add" || operation == "min" || operation == "max" ||
                          operation == "and" || operation == "or" || operation == "xor";
    return !commutes || !integer || type.substr(0, 2) == "bf";
}

// ---- execution -----------------------------------------------------------------------------------

namespace {

void update(WarpContext& context, const AtomicDetail& detail, std::byte* base,
            const std::uint32_t* offsets, std::uint32_t mask) {
    bool changed = false;
    const std::byte* const compare =
        detail.compare == no_register ? nullptr : context.registers + detail.compare;
    for (std::uint32_t i = 0; i < detail.elements; ++i) {
        std::byte* const result =
            detail.registers[i] == no_register ? nullptr : context.registers + detail.registers[i];
        changed |= detail.apply(base + i * detail.element_bytes, offsets, mask, result,
                                context.registers + detail.values[i], compare);
    }
    ++(changed ? context.execution->memory_changes : context.execution->fruitless_atomics);
}

// As loads and stores of shared::cluster, not counted.
void update_cluster(WarpContext& context, const AtomicDetail& detail,
                    const LaneOffsets& addresses) {
    for_blocks_of_cluster(context, detail, addresses, [&](const LaneOffsets& offsets) {
        if (context.hazards != nullptr) check_shared_access(context, detail, offsets);
        update(context, detail, context.shared, offsets.data(), context.mask);
    });
}

void update_shared_lanes(WarpContext& context, const AtomicDetail& detail,
                         const GenericLanes& lanes) {
    LaneOffsets offsets;
    if (!locate_shared_lanes(context, detail, lanes, offsets))
        return update_cluster(context, detail, offsets);
    SiteState& site = context.sites[detail.site];
    (void)count_shared(context, detail, site.other_spaces().shared, offsets);
    if (context.hazards != nullptr) check_shared_access(context, detail, offsets);
    update(context, detail, context.shared, offsets.data(), context.mask);
}

void note_loop(WarpContext& context, const AtomicDetail& detail, const LaneOffsets& offsets) {
    BlockState& block = *context.block;
    if (block.loops.is_full()) block.loops.count(block);
    const std::uint32_t one = context.mask & (0u - context.mask);
    block.loops.add(detail, context.warp->number,
                    {offsets, detail.cost.is_for_one_lane ? one : context.mask});
}

}  // namespace

void execute_atomic_global(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const AtomicDetail*>(operation.detail);
    SiteState& site = context.sites[detail.site];
    Located located;
    if (locate_global(context, detail, site, located)) {
        const PatternKind kind = count_global(context, detail, site, located);
        if (context.hazards != nullptr) check_global_access(context, detail, located, kind);
        return update(context, detail, located.base, located.offsets.data(), context.mask);
    }
    const LaneOffsets zeros{};
    access_lane_by_lane(context, detail, site, [&](std::byte* address, std::uint32_t lane) {
        update(context, detail, address, zeros.data(), lane);
    });
}

void execute_atomic_shared(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const AtomicDetail*>(operation.detail);
    Located located;
    if (!locate_shared(context, detail, located))
        return update_cluster(context, detail, located.offsets);
    if (detail.loop_load != nullptr)
        note_loop(context, detail, located.offsets);
    else
        (void)count_shared(context, detail, context.sites[detail.site].requests, located.offsets);
    if (context.hazards != nullptr) check_shared_access(context, detail, located.offsets);
    update(context, detail, located.base, located.offsets.data(), context.mask);
}

void execute_atomic_generic(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const auto& detail = *static_cast<const AtomicDetail*>(operation.detail);
    const GenericLanes lanes = split_by_space(warp, detail);
    const std::uint32_t mask = warp.mask;
    if (lanes.local != 0) {
        fault_access(context, detail, std::countr_zero(lanes.local), FaultKind::illegal_address,
                     "local memory with an atomic operation");
    }
    warp.mask = lanes.shared;
    if (warp.mask != 0) update_shared_lanes(context, detail, lanes);
    warp.mask = lanes.global;
    if (warp.mask != 0) execute_atomic_global(warp, operation);
    warp.mask = mask;
}

}  // namespace emulator::simt
