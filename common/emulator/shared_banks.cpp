#include "emulator/shared_banks.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace emulator {
namespace {

constexpr std::uint32_t most_banks = 32;

std::uint32_t lanes_per_group(const WarpRequest& request, BankLayout banks) {
    return warp_size / std::max(1u, request.bytes_per_lane / banks.width_bytes);
}

std::uint32_t group_mask(std::uint32_t group, std::uint32_t lanes) {
    return lanes == warp_size ? 0xffffffffu : ((1u << lanes) - 1) << (group * lanes);
}

std::uint32_t group_wavefronts(const WarpRequest& request, std::uint32_t mask, BankLayout banks) {
    // A group touches at most 32 words, so each bank's words fit a list of 32.
    std::array<std::array<Address, warp_size>, most_banks> words;
    std::array<std::uint32_t, most_banks> distinct{};
    std::uint32_t most = 0;
    for (; mask != 0; mask &= mask - 1) {
        const Address begin = request.addresses[static_cast<std::size_t>(std::countr_zero(mask))];
        const Address first = begin / banks.width_bytes;
        const Address last = (begin + request.bytes_per_lane - 1) / banks.width_bytes;
        for (Address word = first; word <= last; ++word) {
            const auto bank = static_cast<std::size_t>(word % banks.count);
            const auto end = words[bank].begin() + distinct[bank];
            if (std::find(words[bank].begin(), end, word) != end) continue;
            *end = word;
            most = std::max(most, ++distinct[bank]);
        }
    }
    return most;
}

template <class Cost>
std::uint32_t sum_over_groups(const WarpRequest& request, BankLayout banks, Cost cost) {
    const std::uint32_t lanes = lanes_per_group(request, banks);
    std::uint32_t sum = 0;
    for (std::uint32_t group = 0; group < warp_size / lanes; ++group) {
        const std::uint32_t mask = request.active_mask & group_mask(group, lanes);
        if (mask != 0) sum += cost(mask);
    }
    return sum;
}

}  // namespace

std::uint32_t wavefronts(const WarpRequest& request, BankLayout banks) {
    return sum_over_groups(request, banks, [&](std::uint32_t mask) {
        return group_wavefronts(request, mask, banks);
    });
}

std::uint32_t ideal_wavefronts(const WarpRequest& request, BankLayout banks) {
    return sum_over_groups(request, banks, [](std::uint32_t) { return 1u; });
}

}  // namespace emulator
