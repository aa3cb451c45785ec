#include "emulator/models/shared_banks.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace emulator {
namespace {

constexpr std::uint32_t max_banks = 32;

// Whether lanes k and k ^ distance access the same element wherever both are active.
bool partners_agree(const WarpRequest& request, std::uint32_t distance) {
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
        const std::uint32_t partner = lane ^ distance;
        const bool both = (request.active_mask >> lane & request.active_mask >> partner & 1) != 0;
        if (both && request.addresses[lane] != request.addresses[partner]) return false;
    }
    return true;
}

std::uint32_t lanes_of_a_group(const WarpRequest& request, AccessKind kind, BankLayout banks) {
    const std::uint32_t groups = std::max(1u, request.bytes_per_lane / banks.width_bytes);
    if (groups == 1) return warp_size;
    const bool merged =
        kind == AccessKind::load && (partners_agree(request, 1) || partners_agree(request, 2));
    return merged ? 2 * warp_size / groups : warp_size / groups;
}

// The most distinct words of a bank's width that the lanes of `mask` access in one bank.
std::uint32_t max_words_of_a_bank(const WarpRequest& request, std::uint32_t mask,
                                  BankLayout banks) {
    // A group touches at most 64 words; they may all lie in one bank.
    std::array<std::array<Address, 2 * warp_size>, max_banks> words;
    std::array<std::uint32_t, max_banks> in_bank{};
    std::uint32_t most = 0;
    // Powers of two; this runs for each request that is recorded, and divisions would take most of its time.
    const int shift = std::countr_zero(banks.interleave_bytes);
    // A bank has one word in each row of all banks.
    const int row_shift = std::countr_zero(banks.count * banks.width_bytes) - shift;
    const Address in_row = banks.count - 1;
    for (; mask != 0; mask &= mask - 1) {
        const Address begin = request.addresses[static_cast<std::size_t>(std::countr_zero(mask))];
        const Address first = begin >> shift;
        const Address last = (begin + request.bytes_per_lane - 1) >> shift;
        for (Address piece = first; piece <= last; ++piece) {
            const auto bank = static_cast<std::size_t>(piece & in_row);
            const Address row = piece >> row_shift;
            const auto end = words[bank].begin() + in_bank[bank];
            if (std::find(words[bank].begin(), end, row) != end) continue;
            *end = row;
            most = std::max(most, ++in_bank[bank]);
        }
    }
    return most;
}

}  // namespace

BankPasses bank_passes(const WarpRequest& request, AccessKind kind, BankLayout banks) {
    const std::uint32_t lanes = lanes_of_a_group(request, kind, banks);
    BankPasses result;
    for (std::uint32_t first = 0; first < warp_size; first += lanes) {
        const std::uint32_t mask = request.active_mask & ((~0u >> (warp_size - lanes)) << first);
        if (mask == 0) continue;
        const std::uint32_t passes = max_words_of_a_bank(request, mask, banks);
        result.wavefronts += passes;
        result.conflicts += passes - 1;
    }
    return result;
}

BankPasses atomic_bank_passes(const WarpRequest& request, BankAtomic operation, BankLayout banks) {
    if (request.active_mask == 0) return {};
    if (operation == BankAtomic::spin) {
        const bool has_halves = request.bytes_per_lane > banks.interleave_bytes;
        const std::uint32_t low = request.active_mask & 0xffff, high = request.active_mask >> 16;
        return {has_halves && low != 0 && high != 0 ? 4u : 2u, 0};
    }
    if (operation == BankAtomic::count) {
        const std::uint32_t passes = max_words_of_a_bank(request, request.active_mask, banks);
        return {passes, passes - 1};
    }
    std::array<std::uint32_t, max_banks> lanes_of{};
    std::uint32_t most = 0;
    for (std::uint32_t mask = request.active_mask; mask != 0; mask &= mask - 1) {
        const Address begin = request.addresses[static_cast<std::size_t>(std::countr_zero(mask))];
        most = std::max(most, ++lanes_of[begin / banks.interleave_bytes % banks.count]);
    }
    return {operation == BankAtomic::compare_and_swap ? 2 * most : most, most - 1};
}

std::uint32_t lanes_that_swap(std::span<const std::uint32_t, warp_size> offsets, std::uint32_t mask,
                              BankLayout banks, std::uint32_t bytes) {
    const std::uint32_t width = std::max(bytes, banks.interleave_bytes);
    const std::uint32_t places = banks.count * banks.interleave_bytes / width;
    std::array<std::uint32_t, 2> taken{};  // by half; bit i: bank i, or pair of banks
    std::uint32_t lanes = 0;
    for (; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(mask));
        const std::uint32_t bank = offsets[lane] / width % places;
        std::uint32_t& of_half = taken[width > banks.interleave_bytes ? lane / (warp_size / 2) : 0];
        if ((of_half >> bank & 1) == 0) lanes |= 1u << lane;
        of_half |= 1u << bank;
    }
    return lanes;
}

}  // namespace emulator
