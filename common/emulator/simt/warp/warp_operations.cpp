// When an operation across lanes happens: once the lanes of its member mask are there.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/simt/record/hazard_checks.hpp"
#include "emulator/simt/warp/block_runner.hpp"

namespace emulator::simt {
namespace {

std::uint32_t members_of(WarpContext& context, const WarpWideDetail& detail, std::uint32_t lanes) {
    const std::uint32_t* const masks = context.lanes<std::uint32_t>(detail.members);
    std::uint32_t members = 0;
    for (; lanes != 0; lanes &= lanes - 1) members |= masks[std::countr_zero(lanes)];
    return members;
}

const WarpWideDetail& detail_of(const Fragment& fragment) {
    return *static_cast<const WarpWideDetail*>(fragment.waits_at->detail);
}

void copy_lanes(std::byte* to, const std::byte* from, std::size_t bytes, std::uint32_t lanes) {
    for (; lanes != 0; lanes &= lanes - 1) {
        const std::size_t at = static_cast<std::size_t>(std::countr_zero(lanes)) * bytes;
        std::memcpy(to + at, from + at, bytes);
    }
}

// Brings values of `source` of the other fragment into this one's register.
void exchange(Fragment& mine, const Fragment& other, std::size_t source) {
    const std::uint8_t bytes = detail_of(mine).source_bytes[source];
    std::byte* const to = mine.frame->registers + detail_of(mine).operation.source[source];
    const std::byte* const from =
        other.frame->registers + detail_of(other).operation.source[source];
    if (bytes != 0) return copy_lanes(to, from, bytes, other.lanes);
    std::uint32_t mine_bits, other_bits;
    std::memcpy(&mine_bits, to, 4);
    std::memcpy(&other_bits, from, 4);
    // A vote on !p reads the complement.
    const bool differ = detail_of(mine).operation.variant != detail_of(other).operation.variant;
    if (differ) other_bits = ~other_bits;
    mine_bits = (mine_bits & ~other.lanes) | (other_bits & other.lanes);
    std::memcpy(to, &mine_bits, 4);
}

}  // namespace

BlockRunner::Next BlockRunner::warp_wide(WarpState& warp, Fragment& fragment,
                                         const BasicBlock& block) {
    const auto& detail = *static_cast<const WarpWideDetail*>(block.detail);
    WarpContext& context = warp.context;
    fragment.block = block.next;
    if (detail.has_members) {
        const std::uint32_t needed = members_of(context, detail, fragment.lanes) & warp.alive;
        if ((needed & ~fragment.lanes) != 0) {
            fragment.state = FragmentState::at_warp_operation;
            fragment.members = needed;
            fragment.waits_at = &block;
            warp.fragments.push_back(fragment);
            return Next::other_fragment;
        }
    }
    context.mask = context.participants = fragment.lanes;
    ++warp.epoch;
    detail.operation.execute(context, detail.operation);
    if (context.hazards != nullptr && detail.has_members) [[unlikely]]
        check_members(context, block, fragment.lanes, std::exchange(context.absent, 0));
    return Next::go_on;
}

// Executes the operation that fragments wait at, if all lanes that they wait for are there.
bool BlockRunner::join_warp_operation(WarpState& warp) {
    for (const Fragment& first : warp.fragments) {
        if (first.state != FragmentState::at_warp_operation) continue;
        const std::uint32_t members = first.members;
        std::vector<Fragment*> group;
        std::uint32_t lanes = 0;
        for (Fragment& fragment : warp.fragments) {
            if (fragment.state != FragmentState::at_warp_operation) continue;
            if ((fragment.members & members) == 0) continue;
            group.push_back(&fragment);
            lanes |= fragment.lanes;
        }
        if ((members & warp.alive & ~lanes) != 0) continue;
        execute_together(warp, group, lanes);
        return true;
    }
    return false;
}

void BlockRunner::execute_together(WarpState& warp, const std::vector<Fragment*>& group,
                                   std::uint32_t lanes) {
    WarpContext& context = warp.context;
    // The registers of each fragment, before lanes of others are brought in.
    std::vector<std::vector<std::byte>> saved;
    for (Fragment* const mine : group) {
        for (std::size_t source = 0; source < detail_of(*mine).value_sources; ++source) {
            const std::byte* const at =
                mine->frame->registers + detail_of(*mine).operation.source[source];
            const std::size_t bytes = detail_of(*mine).source_bytes[source];
            saved.emplace_back(at, at + (bytes == 0 ? 4 : bytes * warp_size));
        }
    }
    for (Fragment* const mine : group) {
        for (const Fragment* const other : group) {
            if (other == mine) continue;
            const std::size_t sources =
                std::min(detail_of(*mine).value_sources, detail_of(*other).value_sources);
            for (std::size_t source = 0; source < sources; ++source)
                exchange(*mine, *other, source);
        }
    }
    ++warp.epoch;
    std::size_t next_saved = 0;
    for (Fragment* const mine : group) {
        enter(warp, *mine);
        context.mask = mine->lanes;
        context.participants = lanes;
        const WarpWideDetail& detail = detail_of(*mine);
        detail.operation.execute(context, detail.operation);
        if (context.hazards != nullptr) [[unlikely]] {
            const std::uint32_t absent = std::exchange(context.absent, 0);
            const std::uint32_t elsewhere = mine->members & warp.alive & ~lanes;
            check_members(context, *mine->waits_at, mine->lanes, absent | elsewhere);
        }
        for (std::size_t source = 0; source < detail.value_sources; ++source) {
            const std::vector<std::byte>& before = saved[next_saved++];
            restore(*mine, source, before, lanes & ~mine->lanes);
        }
        mine->state = FragmentState::ready;
        mine->waits_at = nullptr;
    }
    join_fragments(warp);
}

// Lanes of other fragments get back what they had in this fragment's source register.
void BlockRunner::restore(const Fragment& fragment, std::size_t source,
                          const std::vector<std::byte>& before, std::uint32_t lanes) {
    const WarpWideDetail& detail = detail_of(fragment);
    std::byte* const to = fragment.frame->registers + detail.operation.source[source];
    const std::size_t bytes = detail.source_bytes[source];
    if (bytes != 0) return copy_lanes(to, before.data(), bytes, lanes);
    std::uint32_t now, then;
    std::memcpy(&now, to, 4);
    std::memcpy(&then, before.data(), 4);
    now = (now & ~lanes) | (then & lanes);
    std::memcpy(to, &now, 4);
}

}  // namespace emulator::simt
