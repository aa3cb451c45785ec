#include "emulator/shared_banks.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace emulator {
namespace {

constexpr std::uint32_t most_banks = 32;

std::uint32_t lanes_per_group(const WarpRequest& request, BankLayout banks) {
    return request.bytes_per_lane <= 2 * banks.width_bytes ? warp_size : warp_size / 2;
}

std::uint32_t group_mask(std::uint32_t group, std::uint32_t lanes) {
    return lanes == warp_size ? 0xffffffffu : ((1u << lanes) - 1) << (group * lanes);
}

struct GroupWords {
    std::uint32_t distinct = 0;
    std::uint32_t most_in_a_bank = 0;
};

GroupWords words_of_group(const WarpRequest& request, std::uint32_t mask, BankLayout banks) {
    // A group touches at most 64 words; they may all lie in one bank.
    std::array<std::array<Address, 2 * warp_size>, most_banks> words;
    std::array<std::uint32_t, most_banks> in_bank{};
    GroupWords result;
    for (; mask != 0; mask &= mask - 1) {
        const Address begin = request.addresses[static_cast<std::size_t>(std::countr_zero(mask))];
        const Address first = begin / banks.width_bytes;
        const Address last = (begin + request.bytes_per_lane - 1) / banks.width_bytes;
        for (Address word = first; word <= last; ++word) {
            const auto bank = static_cast<std::size_t>(word % banks.count);
            const auto end = words[bank].begin() + in_bank[bank];
            if (std::find(words[bank].begin(), end, word) != end) continue;
            *end = word;
            ++result.distinct;
            result.most_in_a_bank = std::max(result.most_in_a_bank, ++in_bank[bank]);
        }
    }
    return result;
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
        return words_of_group(request, mask, banks).most_in_a_bank;
    });
}

std::uint32_t ideal_wavefronts(const WarpRequest& request, BankLayout banks) {
    return sum_over_groups(request, banks, [&](std::uint32_t mask) {
        return (words_of_group(request, mask, banks).distinct + banks.count - 1) / banks.count;
    });
}

}  // namespace emulator
