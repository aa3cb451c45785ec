#include "emulator/shared_banks.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace emulator {
namespace {

constexpr std::uint32_t most_banks = 32;

// The lanes of `mask` in the group-th of the warp's groups of so many lanes.
std::uint32_t lanes_of(std::uint32_t mask, std::uint32_t group, std::uint32_t lanes) {
    return lanes == warp_size ? mask : mask & (((1u << lanes) - 1) << (group * lanes));
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

}  // namespace

std::uint32_t wavefronts(const WarpRequest& request, BankLayout banks) {
    const auto passes = [&](std::uint32_t mask) {
        return words_of_group(request, mask, banks).most_in_a_bank;
    };
    const std::uint32_t banks_wide = std::max(1u, request.bytes_per_lane / banks.width_bytes);
    if (banks_wide == 1) return passes(request.active_mask);
    const std::uint32_t lanes = warp_size / banks_wide;
    std::uint32_t sum = 0;
    for (std::uint32_t group = 0; group < banks_wide; group += 2) {
        const std::uint32_t first = lanes_of(request.active_mask, group, lanes);
        const std::uint32_t second = lanes_of(request.active_mask, group + 1, lanes);
        const std::uint32_t together = passes(first | second);
        sum += together <= 1 ? together : passes(first) + passes(second);
    }
    return sum;
}

std::uint32_t ideal_wavefronts(const WarpRequest& request, BankLayout banks) {
    const std::uint32_t groups = request.bytes_per_lane <= 2 * banks.width_bytes ? 1 : 2;
    std::uint32_t sum = 0;
    for (std::uint32_t group = 0; group < groups; ++group) {
        const std::uint32_t mask = lanes_of(request.active_mask, group, warp_size / groups);
        sum += (words_of_group(request, mask, banks).distinct + banks.count - 1) / banks.count;
    }
    return sum;
}

}  // namespace emulator
