#include "emulator/simt/state/shared_loops.hpp"

#include <bit>
#include <utility>

#include "emulator/simt/memory/atomics.hpp"
#include "emulator/simt/state/execution.hpp"

namespace emulator::simt {
namespace {

// Each try loads what lanes that have not succeeded yet update, and swaps.
void count_try(WarpContext& context, const AtomicDetail& detail, LaneOffsets offsets,
               std::uint32_t lanes) {
    const std::uint32_t first = offsets[static_cast<std::size_t>(std::countr_zero(lanes))];
    for (std::size_t lane = 0; lane < warp_size; ++lane)
        offsets[lane] = (lanes >> lane & 1) != 0 ? offsets[lane] : first;
    const std::uint32_t mask = std::exchange(context.mask, lanes);
    (void)count_shared(context, *detail.loop_load, context.sites[detail.loop_load->site].requests,
                       offsets);
    (void)count_shared(context, detail, context.sites[detail.site].requests, offsets);
    context.mask = mask;
}

}  // namespace

void SharedLoops::add(const AtomicDetail& detail, std::uint32_t warp, const SharedSwaps& swaps) {
    const std::uint32_t turn = next_turns_[{detail.site, warp}]++;
    Abreast& abreast = turns_[{detail.site, turn}];
    abreast.detail = &detail;
    abreast.warps.push_back(warp);
    abreast.swaps.push_back(swaps);
    ++size_;
}

void SharedLoops::count(BlockState& block) {
    for (const auto& [turn, abreast] : turns_) {
        const AtomicDetail& detail = *abreast.detail;
        std::vector<std::uint32_t> rest(abreast.swaps.size());  // by warp, at its last try
        try_abreast(abreast.swaps, detail.bytes, *detail.cost.banks,
                    [&](std::size_t i, std::uint32_t lanes) {
                        WarpContext& context = block.warps[abreast.warps[i]].context;
                        count_try(context, detail, abreast.swaps[i].offsets, lanes);
                        const std::uint32_t before = std::exchange(rest[i], lanes);
                        if (before != 0 && before != lanes)
                            ++context.sites[detail.site].parted_tries;
                    });
    }
    turns_.clear();
    next_turns_.clear();
    size_ = 0;
}

}  // namespace emulator::simt
