#include "emulator/simt/state/sorted_offsets.hpp"

#include <bit>
#include <cstring>
#include <utility>

namespace emulator::simt {
namespace {

using Keys = SortedOffsets::Keys;

// Batcher's bitonic network over four registers of eight keys.
constexpr unsigned width = 8;
using Eight = std::uint32_t __attribute__((vector_size(4 * width)));
using Registers = std::array<Eight, warp_size / width>;

// Of key i: whether it takes the lower one of itself and key i ^ stride.
template <unsigned run, unsigned stride>
constexpr bool takes_lower(unsigned i) {
    return ((i & stride) == 0) == ((i & run) == 0);
}

// Eight of two registers' keys, those of `second` numbered from `width` on: `from(i)` becomes key i.
template <auto from, std::size_t... i>
Eight pick(const Eight& first, const Eight& second, std::index_sequence<i...>) {
    return __builtin_shufflevector(first, second, from(i)...);
}
template <auto from>
Eight pick(const Eight& first, const Eight& second) {
    return pick<from>(first, second, std::make_index_sequence<width>());
}

template <unsigned stride>
constexpr auto partner_of = [](std::size_t i) { return i ^ stride; };

// From the lower keys, and the higher ones.
template <unsigned run, unsigned stride, bool is_up>
constexpr auto choice = [](std::size_t i) {
    const bool lower = run < width ? takes_lower<run, stride>(i) : ((i & stride) == 0) == is_up;
    return lower ? i : i + width;
};

template <unsigned run, unsigned stride>
void exchange(Registers& keys) {
    for (unsigned r = 0; r < keys.size(); ++r) {
        const Eight mine = keys[r];
        if constexpr (stride >= width) {
            const unsigned other = r ^ stride / width;
            if (other < r) continue;
            const Eight theirs = keys[other];
            const Eight low = mine < theirs ? mine : theirs, high = mine < theirs ? theirs : mine;
            const bool is_up = takes_lower<run, stride>(r * width);
            keys[r] = is_up ? low : high;
            keys[other] = is_up ? high : low;
        } else {
            const Eight theirs = pick<partner_of<stride>>(mine, mine);
            const Eight low = mine < theirs ? mine : theirs, high = mine < theirs ? theirs : mine;
            const bool is_up = run < width || takes_lower<run, stride>(r * width);
            keys[r] = is_up ? pick<choice<run, stride, true>>(low, high)
                            : pick<choice<run, stride, false>>(low, high);
        }
    }
    if constexpr (stride > 1) exchange<run, stride / 2>(keys);
}

Keys sorted(const Keys& keys) {
    Registers registers;
    static_assert(sizeof registers == sizeof keys);
    std::memcpy(registers.data(), keys.data(), sizeof keys);
    exchange<2, 1>(registers);
    exchange<4, 2>(registers);
    exchange<8, 4>(registers);
    exchange<16, 8>(registers);
    exchange<32, 16>(registers);
    Keys result;
    std::memcpy(result.data(), registers.data(), sizeof result);
    return result;
}

// How many of sorted keys differ in more than their low bits.
std::uint32_t count_distinct(const Keys& keys, int low_bits) {
    std::uint32_t distinct = 1;
    for (std::size_t i = 1; i < warp_size; ++i)
        distinct += (keys[i] ^ keys[i - 1]) >> low_bits != 0;
    return distinct;
}

}  // namespace

SortedOffsets::SortedOffsets(Address base, const Keys& from_base)
    : line_(base / line_bytes * line_bytes) {
    const auto in_line = static_cast<std::uint32_t>(base % line_bytes);
    for (std::size_t lane = 0; lane < warp_size; ++lane) keys_[lane] = from_base[lane] + in_line;
    keys_ = sorted(keys_);
}

std::uint32_t SortedOffsets::distinct(std::uint32_t unit) const {
    return count_distinct(keys_, std::countr_zero(unit));
}

// Without branches: at random, lines are as often new as not.
std::size_t SortedOffsets::write_lines(LineSectors* lines) const {
    std::size_t last = 0;
    std::uint32_t line = keys_[0] / line_bytes;
    unsigned sectors = 0;
    for (const std::uint32_t key : keys_) {
        const bool is_new = key / line_bytes != line;
        line = key / line_bytes;
        sectors = (is_new ? 0 : sectors) | 1u << key / sector_bytes % sectors_per_line;
        last += is_new;
        lines[last] = LineSectors(line_ + Address{line} * line_bytes, sectors);
    }
    return last + 1;
}

}  // namespace emulator::simt
