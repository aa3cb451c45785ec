#include "emulator/simt/warp/warp_communication.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "emulator/simt/state/execution.hpp"

namespace emulator::simt {
namespace {

template <class F>
void for_lanes(std::uint32_t mask, F&& f) {
    for (; mask != 0; mask &= mask - 1) f(std::countr_zero(mask));
}

void set(std::uint32_t& predicate, std::uint32_t mask, std::uint32_t value) {
    predicate = (predicate & ~mask) | (value & mask);
}

// The lanes that take part with each lane: calls `f(lane, group)`; lanes with the same member mask form
// a group.
template <class F>
void for_groups(WarpContext& context, RegisterOffset members, F&& f) {
    if (members == no_register) return f(context.mask, context.participants);
    const std::uint32_t* const masks = context.lanes<std::uint32_t>(members);
    for (std::uint32_t rest = context.mask; rest != 0;) {
        const std::uint32_t mine = masks[std::countr_zero(rest)];
        std::uint32_t same = 0;
        for_lanes(rest, [&](int lane) { same |= std::uint32_t{masks[lane] == mine} << lane; });
        rest &= ~same;
        f(same, context.participants & (mine | same));
    }
}

// ---- shfl ----------------------------------------------------------------------------------------

enum class Shuffle { up, down, butterfly, index };

template <Shuffle mode>
void shuffle(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    alignas(64) std::array<std::uint32_t, warp_size> values;
    const std::uint32_t* const sources = warp.lanes<std::uint32_t>(operation.source[0]);
    // PTX leaves open what a lane gets from one that does not take part; an H200 returns 0, and programs
    // count on it (the last step of NVIDIA's reduce7).
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
        values[lane] = (context.participants >> lane & 1) != 0 ? sources[lane] : 0;
    }
    const std::uint32_t* const offsets = warp.lanes<std::uint32_t>(operation.source[1]);
    const std::uint32_t* const clamps = warp.lanes<std::uint32_t>(operation.source[2]);
    alignas(64) std::array<std::uint32_t, warp_size> result, sources_of;
    std::uint32_t in_range = 0;
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
        const std::uint32_t offset = offsets[lane] & 31, clamp = clamps[lane] & 31;
        const std::uint32_t segment = clamps[lane] >> 8 & 31;
        const std::uint32_t first = lane & segment, last = first | (clamp & ~segment);
        std::uint32_t from = 0;
        bool valid = false;
        if constexpr (mode == Shuffle::up) {
            from = lane - offset;
            valid = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(last);
        } else {
            from = mode == Shuffle::down        ? lane + offset
                   : mode == Shuffle::butterfly ? lane ^ offset
                                                : first | (offset & ~segment);
            valid = from <= last;
        }
        from = valid ? from : lane;
        in_range |= std::uint32_t{valid} << lane;
        result[lane] = values[from];
        sources_of[lane] = from;
    }
    if (context.hazards != nullptr && operation.source[3] != no_register) [[unlikely]] {
        const std::uint32_t* const masks = warp.lanes<std::uint32_t>(operation.source[3]);
        for_lanes(warp.mask, [&](int lane) {
            const std::uint32_t from = 1u << sources_of[static_cast<std::size_t>(lane)];
            context.absent |= from & masks[lane] & ~context.participants;
        });
    }
    if (operation.destination != no_register) {
        std::uint32_t* const to = warp.lanes<std::uint32_t>(operation.destination);
        if (warp.mask == 0xffffffffu) {
            std::ranges::copy(result, to);
        } else {
            for_lanes(warp.mask,
                      [&](int lane) { to[lane] = result[static_cast<std::size_t>(lane)]; });
        }
    }
    if (operation.second_destination != no_register) {
        set(warp.predicate(operation.second_destination), warp.mask, in_range);
    }
}

// ---- vote ----------------------------------------------------------------------------------------

enum class Vote { all, any, uniform, ballot };

template <Vote mode, bool has_members>
void vote(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    std::uint32_t values = warp.predicate(operation.source[0]);
    if (operation.variant != 0) values = ~values;
    const RegisterOffset members = has_members ? operation.source[1] : no_register;
    for_groups(context, members, [&](std::uint32_t lanes, std::uint32_t group) {
        const std::uint32_t holds = values & group;
        if constexpr (mode == Vote::ballot) {
            std::uint32_t* const to = warp.lanes<std::uint32_t>(operation.destination);
            for_lanes(lanes, [&](int lane) { to[lane] = holds; });
            return;
        }
        const bool result = mode == Vote::all   ? holds == group
                            : mode == Vote::any ? holds != 0
                                                : holds == 0 || holds == group;
        set(warp.predicate(operation.destination), lanes, result ? ~0u : 0u);
    });
}

// ---- match ---------------------------------------------------------------------------------------

template <class T, bool all>
void match(Warp& warp, const Operation& operation) {
    const T* const values = warp.lanes<T>(operation.source[0]);
    std::uint32_t* const to = operation.destination == no_register
                                  ? nullptr
                                  : warp.lanes<std::uint32_t>(operation.destination);
    for_groups(
        context_of(warp), operation.source[1], [&](std::uint32_t lanes, std::uint32_t group) {
            for_lanes(lanes, [&](int lane) {
                std::uint32_t equal = 0;
                for_lanes(group, [&](int other) {
                    equal |= std::uint32_t{values[other] == values[lane]} << other;
                });
                const bool agree = equal == group;
                if (to != nullptr) to[lane] = all ? (agree ? group : 0) : equal;
                if (all && operation.second_destination != no_register) {
                    set(warp.predicate(operation.second_destination), 1u << lane, agree ? ~0u : 0u);
                }
            });
        });
}

// ---- redux, elect, activemask, bar.warp.sync -----------------------------------------------------

template <class T, class F>
void reduce(Warp& warp, const Operation& operation) {
    const T* const values = warp.lanes<T>(operation.source[0]);
    T* const to = warp.lanes<T>(operation.destination);
    for_groups(
        context_of(warp), operation.source[1], [&](std::uint32_t lanes, std::uint32_t group) {
            T result = values[std::countr_zero(group)];
            for_lanes(group & (group - 1), [&](int lane) { result = F()(result, values[lane]); });
            for_lanes(lanes, [&](int lane) { to[lane] = result; });
        });
}
struct Min {
    template <class T>
    T operator()(T a, T b) const {
        return std::min(a, b);
    }
};
struct Max {
    template <class T>
    T operator()(T a, T b) const {
        return std::max(a, b);
    }
};
struct MinOrNumber {
    float operator()(float a, float b) const { return std::fmin(a, b); }
};
struct MaxOrNumber {
    float operator()(float a, float b) const { return std::fmax(a, b); }
};

void elect(Warp& warp, const Operation& operation) {
    for_groups(
        context_of(warp), operation.source[0], [&](std::uint32_t lanes, std::uint32_t group) {
            const int leader = std::countr_zero(group);
            if (operation.destination != no_register) {
                std::uint32_t* const to = warp.lanes<std::uint32_t>(operation.destination);
                for_lanes(lanes, [&](int lane) { to[lane] = static_cast<std::uint32_t>(leader); });
            }
            set(warp.predicate(operation.second_destination), lanes, 1u << leader);
        });
}

void synchronise(Warp&, const Operation&) {}

bool has(std::span<const std::string> modifiers, std::string_view wanted) {
    return std::ranges::find(modifiers, wanted) != modifiers.end();
}

template <class T>
Handler find_reduction(std::span<const std::string> modifiers) {
    if (has(modifiers, "add")) return reduce<T, std::plus<>>;
    if (has(modifiers, "min")) return reduce<T, Min>;
    if (has(modifiers, "max")) return reduce<T, Max>;
    if constexpr (std::is_unsigned_v<T>) {
        if (has(modifiers, "and")) return reduce<T, std::bit_and<>>;
        if (has(modifiers, "or")) return reduce<T, std::bit_or<>>;
        if (has(modifiers, "xor")) return reduce<T, std::bit_xor<>>;
    }
    return nullptr;
}

template <bool has_members>
Handler find_vote(std::span<const std::string> modifiers) {
    if (has(modifiers, "ballot")) return vote<Vote::ballot, has_members>;
    if (has(modifiers, "all")) return vote<Vote::all, has_members>;
    if (has(modifiers, "any")) return vote<Vote::any, has_members>;
    if (has(modifiers, "uni")) return vote<Vote::uniform, has_members>;
    return nullptr;
}

Handler find_shuffle(std::span<const std::string> modifiers) {
    if (has(modifiers, "up")) return shuffle<Shuffle::up>;
    if (has(modifiers, "down")) return shuffle<Shuffle::down>;
    if (has(modifiers, "bfly")) return shuffle<Shuffle::butterfly>;
    if (has(modifiers, "idx")) return shuffle<Shuffle::index>;
    return nullptr;
}

Handler find_match(std::span<const std::string> modifiers) {
    const bool all = has(modifiers, "all");
    if (has(modifiers, "b32"))
        return all ? match<std::uint32_t, true> : match<std::uint32_t, false>;
    if (has(modifiers, "b64"))
        return all ? match<std::uint64_t, true> : match<std::uint64_t, false>;
    return nullptr;
}

}  // namespace

WarpWideForm find_warp_wide(const std::string& opcode, std::span<const std::string> modifiers) {
    const bool sync = has(modifiers, "sync");
    if (opcode == "shfl") return {find_shuffle(modifiers), sync, 1};
    if (opcode == "vote")
        return {sync ? find_vote<true>(modifiers) : find_vote<false>(modifiers), sync, 1};
    if (opcode == "match" && sync) return {find_match(modifiers), true, 1};
    if (opcode == "redux" && sync) {
        if (has(modifiers, "s32")) return {find_reduction<std::int32_t>(modifiers), true, 1};
        if (has(modifiers, "f32")) {
            return {has(modifiers, "min") ? reduce<float, MinOrNumber> : reduce<float, MaxOrNumber>,
                    true, 1};
        }
        return {find_reduction<std::uint32_t>(modifiers), true, 1};
    }
    if (opcode == "elect" && sync) return {elect, true, 0};
    if (opcode == "bar" && has(modifiers, "warp") && sync) return {synchronise, true, 0};
    return {};
}

}  // namespace emulator::simt
