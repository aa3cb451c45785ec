// Barriers of the block, and what a warp does when nothing of it can go on.
#include <bit>

#include "emulator/simt/record/hazard_checks.hpp"
#include "emulator/simt/warp/block_runner.hpp"

namespace emulator::simt {
namespace {

std::uint32_t value_of(WarpContext& context, RegisterOffset offset, std::uint32_t constant,
                       int lane) {
    return offset == no_register ? constant : context.lanes<std::uint32_t>(offset)[lane];
}

}  // namespace

BlockRunner::Next BlockRunner::barrier(WarpState& warp, Fragment& fragment,
                                       const BasicBlock& block) {
    const auto& detail = *static_cast<const BarrierDetail*>(block.detail);
    WarpContext& context = warp.context;
    const int lane = std::countr_zero(fragment.lanes);
    const std::uint32_t number = value_of(context, detail.barrier, detail.constant_barrier, lane);
    if (number >= barriers_per_block) {
        throw fault_at(context, FaultKind::illegal_instruction, block.control_instruction, lane,
                       "barrier " + std::to_string(number) + ": there are " +
                           std::to_string(barriers_per_block));
    }
    ++execution_.barriers;
    BlockState& state = *context.block;
    BarrierState& barrier = state.barriers[number];
    if (!barrier.is_open) {
        barrier = {};
        barrier.is_open = true;
        barrier.expected_threads = value_of(context, detail.threads, detail.constant_threads, lane);
    }
    // A warp counts with all its lanes, those that do not exist or have finished included.
    const std::uint32_t absent = ~warp.alive;
    if (absent != 0 && std::countr_zero(fragment.lanes) == std::countr_zero(warp.alive)) {
        barrier.missing_lanes += static_cast<unsigned>(std::popcount(absent));
    }
    barrier.arrived_threads += static_cast<unsigned>(std::popcount(fragment.lanes));
    if (detail.reduction != BarrierDetail::Reduction::none) {
        const std::uint32_t predicate = context.predicate(detail.predicate);
        const std::uint32_t holds = detail.predicate_negated ? ~predicate : predicate;
        barrier.true_predicates += static_cast<unsigned>(std::popcount(holds & fragment.lanes));
        barrier.predicates += static_cast<unsigned>(std::popcount(fragment.lanes));
    }
    fragment.block = block.next;
    if (detail.waits) {
        fragment.state = FragmentState::at_barrier;
        fragment.waits_at = &block;
        fragment.barrier = static_cast<std::uint8_t>(number);
        warp.fragments.push_back(fragment);
    }
    finish_barrier_if_complete(state, number);
    return detail.waits ? Next::other_fragment : Next::go_on;
}

void BlockRunner::finish_barrier_if_complete(BlockState& block, unsigned number) {
    const BarrierState& barrier = block.barriers[number];
    const bool complete =
        barrier.expected_threads == 0
            ? barrier.arrived_threads >= block.alive_threads
            : barrier.arrived_threads + barrier.missing_lanes >= barrier.expected_threads;
    if (complete) release_barrier(block, number);
}

void BlockRunner::release_barrier(BlockState& block, unsigned number) {
    BarrierState& barrier = block.barriers[number];
    if (block.hazards) check_barrier(execution_, block, number);
    block.loops.count(block);
    for (WarpState& warp : block.warps) {
        for (Fragment& fragment : warp.fragments) {
            if (fragment.state != FragmentState::at_barrier || fragment.barrier != number) continue;
            note_release(block, warp);
            const auto& detail = *static_cast<const BarrierDetail*>(fragment.waits_at->detail);
            store_reduction(fragment, detail, barrier);
            fragment.state = FragmentState::ready;
            fragment.waits_at = nullptr;
        }
        join_fragments(warp);
    }
    barrier.is_open = false;
}

// Other warps pause for it, where they may store what it has yet to load.
void BlockRunner::note_release(BlockState& block, WarpState& warp) {
    if (!execution_.launch.warps_pause) return;
    warp.released_at = warp.turns;
    if (warp.is_fresh) return;
    warp.is_fresh = true;
    ++block.fresh_warps;
}

// bar.red: the same result for all.
void BlockRunner::store_reduction(const Fragment& fragment, const BarrierDetail& detail,
                                  const BarrierState& barrier) {
    using Reduction = BarrierDetail::Reduction;
    if (detail.reduction == Reduction::none || detail.destination == no_register) return;
    std::byte* const place = fragment.frame->registers + detail.destination;
    if (detail.reduction == Reduction::popc) {
        auto* const lanes = reinterpret_cast<std::uint32_t*>(place);
        for (std::uint32_t rest = fragment.lanes; rest != 0; rest &= rest - 1) {
            lanes[std::countr_zero(rest)] = barrier.true_predicates;
        }
        return;
    }
    const bool holds = detail.reduction == Reduction::any
                           ? barrier.true_predicates != 0
                           : barrier.true_predicates == barrier.predicates;
    auto& predicate = *reinterpret_cast<std::uint32_t*>(place);
    predicate = holds ? predicate | fragment.lanes : predicate & ~fragment.lanes;
}

// Fragments that go on from the same place go on as one: lanes that went ahead of their warp are part of
// it again.
void BlockRunner::join_fragments(WarpState& warp) {
    auto& fragments = warp.fragments;
    for (std::size_t i = 0; i < fragments.size(); ++i) {
        for (std::size_t j = i + 1; j < fragments.size(); ++j) {
            Fragment& mine = fragments[i];
            const Fragment other = fragments[j];
            const bool same = mine.state == FragmentState::ready &&
                              other.state == FragmentState::ready && mine.block == other.block &&
                              mine.frame == other.frame && !mine.is_paused && !other.is_paused;
            if (!same) continue;
            fragments.erase(fragments.begin() + static_cast<std::ptrdiff_t>(j));
            Fragment joined = fragments[i];
            join(warp, joined, other);
            fragments[i] = joined;
            --j;
        }
    }
}

Reconvergence* BlockRunner::common_point(Reconvergence* one, Reconvergence* other) {
    for (; one != nullptr; one = one->outer) {
        for (Reconvergence* point = other; point != nullptr; point = point->outer) {
            if (point == one) return one;
        }
    }
    return nullptr;
}

void BlockRunner::leave_points(WarpState& warp, Reconvergence* from, const Reconvergence* to,
                               std::uint32_t lanes) {
    while (from != to) {
        Reconvergence* const outer = from->outer;
        from->expected &= ~lanes;
        if (from->arrived == from->expected) release(warp, from);
        from = outer;
    }
}

// No warp can go on, and no barrier is complete.
void BlockRunner::report_stuck(BlockState& block) {
    for (WarpState& warp : block.warps) {
        for (const Fragment& fragment : warp.fragments) {
            warp.context.frame = fragment.frame;
            std::string what = "deadlock: a warp operation waits for lanes that never reach it";
            if (fragment.state == FragmentState::at_barrier)
                what = "deadlock: waits at barrier " + std::to_string(fragment.barrier) +
                       ", which not enough threads reach";
            if (fragment.state == FragmentState::at_cluster_barrier)
                what = "deadlock: waits at the barrier of its cluster, which not all threads reach";
            if (fragment.state == FragmentState::at_warpgroup_wait)
                what = "deadlock: other warps of the warpgroup never issue its products";
            throw fault_at(warp.context, FaultKind::deadlock,
                           fragment.waits_at->control_instruction, std::countr_zero(fragment.lanes),
                           what);
        }
    }
}

}  // namespace emulator::simt
