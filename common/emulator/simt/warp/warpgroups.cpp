// wgmma.wait_group: products of a warpgroup are complete when all its four warps have issued them.
#include <algorithm>

#include "emulator/simt/record/hazard_checks.hpp"
#include "emulator/simt/warp/block_runner.hpp"

namespace emulator::simt {
namespace {

constexpr std::uint32_t warps_per_group = 4;

}  // namespace

BlockRunner::Next BlockRunner::wait_for_warpgroup(WarpState& warp, Fragment& fragment,
                                                  const BasicBlock& block) {
    const auto& detail = *static_cast<const WarpgroupWaitDetail*>(block.detail);
    auto& groups = warp.product_groups;
    fragment.block = block.next;
    if (groups.size() <= detail.pending) return Next::go_on;
    const auto first_pending = groups.end() - static_cast<std::ptrdiff_t>(detail.pending);
    warp.awaited_products = *(first_pending - 1);
    groups.erase(groups.begin(), first_pending);
    if (has_products(warp)) {
        if (warp.context.hazards != nullptr) synchronise_block(warp.context);
        return Next::go_on;
    }
    fragment.state = FragmentState::at_warpgroup_wait;
    fragment.waits_at = &block;
    warp.fragments.push_back(fragment);
    return Next::other_fragment;
}

// Whether the other warps of the group have issued what this one waits for.
bool BlockRunner::has_products(const WarpState& warp) {
    return std::ranges::all_of(warp.context.block->warps, [&](const WarpState& each) {
        return each.number / warps_per_group != warp.number / warps_per_group ||
               static_cast<std::int32_t>(each.group_products - warp.awaited_products) >= 0;
    });
}

void BlockRunner::finish_warpgroup_wait(WarpState& warp) {
    for (Fragment& fragment : warp.fragments) {
        if (fragment.state != FragmentState::at_warpgroup_wait || !has_products(warp)) continue;
        fragment.state = FragmentState::ready;
        fragment.waits_at = nullptr;
        if (warp.context.hazards != nullptr) synchronise_block(warp.context);
    }
}

}  // namespace emulator::simt
