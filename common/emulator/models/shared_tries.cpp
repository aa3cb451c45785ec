#include "emulator/models/shared_tries.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace emulator {
namespace {

struct Wish {
    std::uint32_t offset = 0, last_success = 0;
    std::size_t warp = 0;
    std::uint32_t lane = 0;  // one bit

    auto operator<=>(const Wish&) const = default;
};

}  // namespace

void try_abreast(std::span<const SharedSwaps> warps, std::uint32_t bytes, BankLayout banks,
                 const std::function<void(std::size_t, std::uint32_t)>& tried) {
    std::vector<std::uint32_t> rest, last_success(warps.size());
    for (const SharedSwaps& warp : warps) rest.push_back(warp.mask);
    std::vector<Wish> wishes;
    for (std::uint32_t round = 1;; ++round) {
        wishes.clear();
        for (std::size_t warp = 0; warp < warps.size(); ++warp) {
            if (rest[warp] == 0) continue;
            tried(warp, rest[warp]);
            std::uint32_t lanes = lanes_that_swap(warps[warp].offsets, rest[warp], banks, bytes);
            for (; lanes != 0; lanes &= lanes - 1) {
                const std::uint32_t lane = lanes & (0u - lanes);
                const std::uint32_t offset =
                    warps[warp].offsets[static_cast<std::size_t>(std::countr_zero(lane))];
                wishes.push_back({offset, last_success[warp], warp, lane});
            }
        }
        if (wishes.empty()) return;
        std::ranges::sort(wishes);
        for (std::size_t i = 0; i < wishes.size(); ++i) {
            if (i > 0 && wishes[i].offset == wishes[i - 1].offset) continue;
            rest[wishes[i].warp] &= ~wishes[i].lane;
            last_success[wishes[i].warp] = round;
        }
    }
}

}  // namespace emulator
