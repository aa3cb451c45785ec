#include "emulator/simt/warp/clusters.hpp"

#include <bit>

#include "emulator/simt/record/hazard_checks.hpp"
#include "emulator/simt/warp/block_runner.hpp"

namespace emulator::simt {

void finish_cluster_barrier_if_complete(ClusterState& cluster) {
    std::uint32_t alive = 0;
    for (const BlockState* const block : cluster.blocks) alive += block->alive_threads;
    if (cluster.arrived == 0 || cluster.arrived < alive) return;
    cluster.arrived = 0;
    ++cluster.phases;
    for (BlockState* const block : cluster.blocks) {
        block->is_stuck = false;
        if (block->hazards) block->hazards->synchronise();
        for (WarpState& warp : block->warps) {
            for (Fragment& fragment : warp.fragments) {
                if (fragment.state != FragmentState::at_cluster_barrier) continue;
                fragment.state = FragmentState::ready;
                fragment.waits_at = nullptr;
            }
        }
    }
}

void execute_cluster_arrive(Warp& warp, const Operation&) {
    WarpContext& context = context_of(warp);
    ClusterState& cluster = *context.block->cluster;
    WarpState& state = *context.warp;
    if (state.cluster_phase != cluster.phases) state.cluster_arrived = 0;
    state.cluster_phase = cluster.phases;
    state.cluster_arrived |= context.mask;
    cluster.arrived += static_cast<unsigned>(std::popcount(context.mask));
    finish_cluster_barrier_if_complete(cluster);
}

BlockRunner::Next BlockRunner::wait_for_cluster(WarpState& warp, Fragment& fragment,
                                                const BasicBlock& block) {
    const ClusterState& cluster = *warp.context.block->cluster;
    fragment.block = block.next;
    if (warp.cluster_phase != cluster.phases && warp.cluster_phase != no_cluster_phase)
        return Next::go_on;
    fragment.state = FragmentState::at_cluster_barrier;
    fragment.waits_at = &block;
    warp.fragments.push_back(fragment);
    return Next::other_fragment;
}

// Threads that have finished are not waited for.
void BlockRunner::leave_cluster(WarpState& warp, std::uint32_t lanes) {
    ClusterState& cluster = *warp.context.block->cluster;
    if (cluster.arrived == 0) return;
    if (warp.cluster_phase == cluster.phases)
        cluster.arrived -= static_cast<unsigned>(std::popcount(warp.cluster_arrived & lanes));
    finish_cluster_barrier_if_complete(cluster);
}

bool BlockRunner::waits_for_cluster(const BlockState& block) {
    return std::ranges::any_of(block.warps, [](const WarpState& warp) {
        return std::ranges::any_of(warp.fragments, [](const Fragment& fragment) {
            return fragment.state == FragmentState::at_cluster_barrier;
        });
    });
}

template <class T>
void execute_map_address(Warp& warp, const Operation& operation) {
    const WarpContext& context = context_of(warp);
    const T* const addresses = warp.lanes<T>(operation.source[0]);
    const std::uint32_t* const ranks = warp.lanes<std::uint32_t>(operation.source[1]);
    T* const to = warp.lanes<T>(operation.destination);
    for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const T address = addresses[lane];
        const auto low = static_cast<std::uint32_t>(address);
        to[lane] = (address - low) | address_in_block(context, ranks[lane], low);
    }
}
template void execute_map_address<std::uint32_t>(Warp&, const Operation&);
template void execute_map_address<std::uint64_t>(Warp&, const Operation&);

template <class T>
void execute_rank_of_address(Warp& warp, const Operation& operation) {
    const WarpContext& context = context_of(warp);
    const T* const addresses = warp.lanes<T>(operation.source[0]);
    std::uint32_t* const to = warp.lanes<std::uint32_t>(operation.destination);
    for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto low = static_cast<std::uint32_t>(addresses[lane]);
        to[lane] =
            names_block(context, low) ? (low >> rank_shift) - 1 : context.block->cluster_rank;
    }
}
template void execute_rank_of_address<std::uint32_t>(Warp&, const Operation&);
template void execute_rank_of_address<std::uint64_t>(Warp&, const Operation&);

}  // namespace emulator::simt
