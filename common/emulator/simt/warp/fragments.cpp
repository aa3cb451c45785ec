// Divergence, reconvergence, the ends of threads.
#include <algorithm>
#include <bit>
#include <utility>

#include "emulator/simt/state/memory.hpp"
#include "emulator/simt/warp/block_runner.hpp"

namespace emulator::simt {
namespace {

std::uint32_t guarded_lanes(WarpContext& context, const BasicBlock& block, std::uint32_t lanes) {
    if (block.guard == no_register) return lanes;
    const std::uint32_t predicate = context.predicate(block.guard);
    return lanes & (block.guard_negated ? ~predicate : predicate);
}

Reconvergence* new_reconvergence(WarpState& warp) {
    if (warp.spare.empty()) {
        warp.reconvergences.push_back(std::make_unique<Reconvergence>());
        return warp.reconvergences.back().get();
    }
    Reconvergence* const point = warp.spare.back();
    warp.spare.pop_back();
    return point;
}

// The innermost of a fragment's points that is there; null where none is.
Reconvergence* point_at(Reconvergence* point, std::uint32_t block, const Frame* frame) {
    while (point != nullptr && (point->block != block || point->frame != frame))
        point = point->outer;
    return point;
}

// The point at which lanes that diverge at the end of `block` reconverge: a new one, or the fragment's
// own next one, as in the rounds of a loop.
Reconvergence* reconvergence_behind(WarpState& warp, const Fragment& fragment,
                                    const BasicBlock& block) {
    Reconvergence* outer = fragment.reconvergence;
    if (block.loop_exit != no_block &&
        point_at(outer, block.loop_exit, fragment.frame) == nullptr) {
        Reconvergence* const loop_exit = new_reconvergence(warp);
        *loop_exit = {block.loop_exit, fragment.frame, fragment.lanes, 0, outer};
        outer = loop_exit;
    }
    if (block.reconvergence == no_block) return outer;
    if (outer != nullptr && outer->block == block.reconvergence && outer->frame == fragment.frame) {
        return outer;
    }
    Reconvergence* const point = new_reconvergence(warp);
    *point = {block.reconvergence, fragment.frame, fragment.lanes, 0, outer};
    return point;
}

bool is_at(const Reconvergence* point, std::uint32_t block, const Frame* frame) {
    return point != nullptr && point->block == block && point->frame == frame;
}

}  // namespace

BlockRunner::Next BlockRunner::branch(WarpState& warp, Fragment& fragment,
                                      const BasicBlock& block) {
    const std::uint32_t taken = guarded_lanes(warp.context, block, fragment.lanes);
    if (taken == fragment.lanes) {
        fragment.block = block.target;
    } else if (taken == 0) {
        fragment.block = block.next;
    } else {
        ++execution_.counts[block.counter].divergences;
        fragment.reconvergence = reconvergence_behind(warp, fragment, block);
        Fragment other = fragment;
        other.block = block.target;
        other.lanes = taken;
        fragment.block = block.next;
        fragment.lanes &= ~taken;
        break_out(warp, other);
        if (is_at(other.reconvergence, other.block, other.frame)) {
            other.reconvergence->arrived |= taken;
        } else {
            warp.fragments.push_back(other);
        }
    }
    return Next::go_on;
}

BlockRunner::Next BlockRunner::branch_indexed(WarpState& warp, Fragment& fragment,
                                              const BasicBlock& block) {
    const auto& table = *static_cast<const BranchTableDetail*>(block.detail);
    const std::uint32_t* const index = warp.context.lanes<std::uint32_t>(table.index);
    std::uint32_t rest = fragment.lanes;
    Fragment whole = fragment;
    bool diverged = false;
    while (rest != 0) {
        const std::uint32_t value = index[std::countr_zero(rest)];
        if (value >= table.targets.size()) {
            throw fault_at(warp.context, FaultKind::illegal_instruction, block.control_instruction,
                           std::countr_zero(rest), "an indexed branch beyond its table");
        }
        std::uint32_t same = 0;
        for (std::uint32_t lanes = rest; lanes != 0; lanes &= lanes - 1) {
            const int lane = std::countr_zero(lanes);
            if (index[lane] == value) same |= 1u << lane;
        }
        if (same != rest && !diverged) {
            diverged = true;
            ++execution_.counts[block.counter].divergences;
            whole.reconvergence = reconvergence_behind(warp, fragment, block);
        }
        rest &= ~same;
        Fragment part = whole;
        part.block = table.targets[value];
        part.lanes = same;
        break_out(warp, part);
        if (rest == 0) {
            fragment = part;
        } else if (is_at(part.reconvergence, part.block, part.frame)) {
            part.reconvergence->arrived |= same;
        } else {
            warp.fragments.push_back(part);
        }
    }
    return Next::go_on;
}

// Lanes that leave a loop no longer reconverge with those inside it (BREAK).
void BlockRunner::break_out(WarpState& warp, Fragment& fragment) {
    if (fragment.block == no_block || !fragment.frame->function->blocks[fragment.block].is_way_out)
        return;
    Reconvergence* const point = point_at(fragment.reconvergence, fragment.block, fragment.frame);
    if (point == nullptr || point == fragment.reconvergence) return;
    leave_points(warp, fragment.reconvergence, point, fragment.lanes);
    fragment.reconvergence = point;
}

// The fragment stands at its reconvergence point.
BlockRunner::Next BlockRunner::arrive(WarpState& warp, Fragment& fragment) {
    Reconvergence* const point = fragment.reconvergence;
    point->arrived |= fragment.lanes;
    if (point->arrived != point->expected) return Next::other_fragment;
    release(warp, point);
    fragment = warp.fragments.back();
    warp.fragments.pop_back();
    return is_at(fragment.reconvergence, fragment.block, fragment.frame) ? arrive(warp, fragment)
                                                                         : Next::go_on;
}

// All that are still expected have come: they go on together.
void BlockRunner::release(WarpState& warp, Reconvergence* point) {
    if (point->expected != 0) {
        warp.fragments.push_back({.block = point->block,
                                  .lanes = point->expected,
                                  .frame = point->frame,
                                  .reconvergence = point->outer});
    }
    warp.spare.push_back(point);
}

// Lanes that have finished, or that no longer wait, are not expected any more.
void BlockRunner::remove_lanes(WarpState& warp, Reconvergence* from, std::uint32_t lanes) {
    while (from != nullptr) {
        Reconvergence* const outer = from->outer;
        from->expected &= ~lanes;
        from->arrived &= ~lanes;
        if (from->arrived == from->expected) release(warp, from);
        from = outer;
    }
}

BlockRunner::Next BlockRunner::return_or_exit(WarpState& warp, Fragment& fragment,
                                              const BasicBlock& block) {
    const std::uint32_t leaving = guarded_lanes(warp.context, block, fragment.lanes);
    const std::uint32_t staying = fragment.lanes & ~leaving;
    if (leaving == 0) {
        fragment.block = block.next;
        return Next::go_on;
    }
    if (staying != 0) {
        Fragment rest = fragment;
        rest.lanes = staying;
        rest.block = block.next;
        break_out(warp, rest);
        if (is_at(rest.reconvergence, rest.block, rest.frame)) {
            rest.reconvergence->arrived |= staying;
        } else {
            warp.fragments.push_back(rest);
        }
        fragment.lanes = leaving;
    }
    if (block.control == Control::ret && fragment.frame->caller != nullptr) {
        // Points inside the function do not wait for lanes that have returned.
        Reconvergence* to = fragment.reconvergence;
        while (to != nullptr && to->frame == fragment.frame) to = to->outer;
        leave_points(warp, fragment.reconvergence, to, leaving);
        fragment.reconvergence = to;
        leave_function(warp, fragment);
        enter(warp, fragment);
        return Next::go_on;
    }
    for (Frame* frame = fragment.frame; frame != nullptr;) {
        Frame* const caller = frame->caller;
        frame->live_lanes &= ~leaving;
        if (frame->live_lanes == 0 && caller != nullptr) {
            execution_.give_back(frame);
            --warp.call_depth;
        }
        frame = caller;
    }
    warp.alive &= ~leaving;
    BlockState& state = *warp.context.block;
    state.alive_threads -= static_cast<unsigned>(std::popcount(leaving));
    remove_lanes(warp, fragment.reconvergence, leaving);
    leave_cluster(warp, leaving);
    for (unsigned i = 0; i < barriers_per_block; ++i) {
        if (state.barriers[i].is_open) finish_barrier_if_complete(state, i);
    }
    return Next::other_fragment;
}

// Lanes that wait for lanes which cannot go on before them: they go ahead. True where there were some.
bool BlockRunner::release_waiting_lanes(WarpState& warp) {
    for (auto fragment = warp.fragments.rbegin(); fragment != warp.fragments.rend(); ++fragment) {
        for (Reconvergence* point = fragment->reconvergence; point != nullptr;
             point = point->outer) {
            if (point->arrived == 0) continue;
            const std::uint32_t lanes = std::exchange(point->arrived, 0);
            point->expected &= ~lanes;
            warp.fragments.push_back({.block = point->block,
                                      .lanes = lanes,
                                      .frame = point->frame,
                                      .reconvergence = point->outer});
            return true;
        }
    }
    return false;
}

// Another fragment has the next turn: one that stands further on, or lanes that wait to reconverge.
void BlockRunner::give_way(WarpState& warp, const Fragment& fragment) {
    warp.fragments.insert(warp.fragments.begin(), fragment);
    const bool others = std::ranges::any_of(
        warp.fragments.begin() + 1, warp.fragments.end(),
        [](const Fragment& other) { return other.state == FragmentState::ready; });
    warp.out_of_order = others || release_waiting_lanes(warp);
}

// The first in the order of the text runs, for all that stand in the same activation; where two meet
// they become one.
void BlockRunner::keep_order(WarpState& warp, Fragment& fragment) {
    auto& fragments = warp.fragments;
    std::size_t first = fragments.size();
    const std::vector<BasicBlock>& blocks = fragment.frame->function->blocks;
    std::uint32_t lowest = blocks[fragment.block].order;
    for (std::size_t i = 0; i < fragments.size(); ++i) {
        if (fragments[i].state != FragmentState::ready || fragments[i].frame != fragment.frame)
            continue;
        if (fragments[i].block == fragment.block && blocks[fragment.block].is_reconvergence_point &&
            !fragments[i].is_paused && !fragment.is_paused) {
            const Fragment other = fragments[i];
            fragments.erase(fragments.begin() + static_cast<std::ptrdiff_t>(i));
            join(warp, fragment, other);
            return keep_order(warp, fragment);  // joining may have released lanes
        }
        if (blocks[fragments[i].block].order < lowest) {
            lowest = blocks[fragments[i].block].order;
            first = i;
        }
    }
    if (first == fragments.size()) return;
    std::swap(fragment, fragments[first]);
    keep_order(warp, fragment);  // others may wait beside it
}

// The points that they share stay, of those at which both were to meet others.
void BlockRunner::join(WarpState& warp, Fragment& fragment, const Fragment& other) {
    Reconvergence* const common = common_point(fragment.reconvergence, other.reconvergence);
    leave_points(warp, fragment.reconvergence, common, fragment.lanes);
    leave_points(warp, other.reconvergence, common, other.lanes);
    fragment.lanes |= other.lanes;
    fragment.reconvergence = common;
}

// Before Volta, lanes that wait to reconverge do not go on before the others: a lock that one of them
// holds is never free again. Another warp or block may hold it, so memory has to stand still for long.
void BlockRunner::check_deadlock(WarpState& warp, const Fragment& fragment) {
    constexpr unsigned many = 100;
    Standstill& seen = warp.standstill;
    const bool tries = execution_.fruitless_atomics != seen.fruitless_atomics;
    const bool still = execution_.memory_changes == seen.memory_changes;
    seen.fruitless_atomics = execution_.fruitless_atomics;
    seen.memory_changes = execution_.memory_changes;
    seen.repetitions = tries && still ? seen.repetitions + 1 : 0;
    if (seen.repetitions < many) return;
    bool others_wait = false;
    for (const Reconvergence* point = fragment.reconvergence; point != nullptr;
         point = point->outer) {
        others_wait |= point->arrived != 0;
    }
    if (!others_wait) return;
    warp.context.frame = fragment.frame;
    throw fault_at(
        warp.context, FaultKind::deadlock,
        fragment.frame->function->blocks[fragment.block].control_instruction,
        std::countr_zero(fragment.lanes),
        "deadlock: waits for lanes of its own warp, which wait to reconverge with it; before "
        "Volta they do not go on alone");
}

}  // namespace emulator::simt
