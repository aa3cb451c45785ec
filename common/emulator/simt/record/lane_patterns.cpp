#include "emulator/simt/record/lane_patterns.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace emulator::simt {

timing::Access::Update update_of(const MemoryDetail& detail, bool in_loop) {
    if (detail.cost.bank_atomic == BankAtomic::compare_and_swap)
        return in_loop ? timing::Access::Update::swap_loop : timing::Access::Update::swap;
    if (!detail.is_floating) return timing::Access::Update::integer;
    return detail.element_bytes == 8 ? timing::Access::Update::floating_64
                                     : timing::Access::Update::floating;
}

std::uint16_t distinct_addresses(const std::array<Address, warp_size>& addresses,
                                 std::uint32_t mask) {
    std::vector<Address> seen;
    for (; mask != 0; mask &= mask - 1)
        seen.push_back(addresses[static_cast<std::size_t>(std::countr_zero(mask))]);
    std::ranges::sort(seen);
    const auto rest = std::ranges::unique(seen);
    return static_cast<std::uint16_t>(seen.size() - rest.size());
}

std::uint16_t lanes_at_one_address(std::array<Address, warp_size> addresses, std::uint32_t mask) {
    const auto count = static_cast<std::size_t>(std::popcount(mask));
    std::size_t kept = 0;
    for (; mask != 0; mask &= mask - 1)
        addresses[kept++] = addresses[static_cast<std::size_t>(std::countr_zero(mask))];
    std::sort(addresses.begin(), addresses.begin() + static_cast<std::ptrdiff_t>(count));
    std::uint16_t most = 0, of_address = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_same = i > 0 && addresses[i] == addresses[i - 1];
        of_address = static_cast<std::uint16_t>(is_same ? of_address + 1 : 1);
        most = std::max(most, of_address);
    }
    return most;
}

bool is_in(Address window, Address address) {
    return address >= window && address - window < window_bytes;
}

// On a GPU words of a thread are 128 bytes apart, a word of each lane beside each other.
void note_local(const std::array<Address, warp_size>& addresses, std::uint32_t mask, unsigned bytes,
                std::uint64_t warp, timing::LaunchTrace& trace, timing::Access& access) {
    constexpr Address word = 4;
    const Address begin = timing::local_memory + warp * timing::local_bytes_of_warp;
    access.path = LoadPath::l1;
    access.first_line = static_cast<std::uint32_t>(trace.lines.size());
    for (unsigned first = 0; first < bytes; first += word) {
        std::array<Address, warp_size> places{};
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
            const Address own = addresses[lane] - local_window + first;
            places[lane] = begin + own / word * (word * warp_size) + lane * word + own % word;
        }
        const LineList lines = emulator::lines_of(
            WarpRequest{places, mask, std::min(bytes, static_cast<unsigned>(word))});
        const auto span = lines.span();
        trace.lines.insert(trace.lines.end(), span.begin(), span.end());
        for (const LineSectors each : span)
            access.sectors = static_cast<std::uint16_t>(access.sectors + each.count());
    }
    access.line_count = static_cast<std::uint32_t>(trace.lines.size()) - access.first_line;
}

}  // namespace emulator::simt
