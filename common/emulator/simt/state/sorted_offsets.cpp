#include "emulator/simt/state/sorted_offsets.hpp"

#include <utility>

namespace emulator::simt {
namespace {

// Batcher's bitonic network over four registers of eight keys.
constexpr unsigned width = 8;
using Eight = std::uint32_t __attribute__((vector_size(4 * width)));
using Registers = std::array<Eight, warp_size / width>;
// In arrays, aligned as a key; `auto` would forget that. Not moved by memcpy(), which takes halves: a load waits where the
// halves of what it loads were just stored.
using EightInArray = Eight __attribute__((aligned(alignof(std::uint32_t)), may_alias));

// Whether key i takes the lower one of itself and key i ^ stride.
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

void sort(Registers& keys) {
    exchange<2, 1>(keys);
    exchange<4, 2>(keys);
    exchange<8, 4>(keys);
    exchange<16, 8>(keys);
    exchange<32, 16>(keys);
}

constexpr auto one_back = [](std::size_t i) { return i + width - 1; };
constexpr auto one_back_or_first = [](std::size_t i) { return i == 0 ? i : i - 1; };

// Counts sorted keys. Each differs from the one before it or not: at most 31 do, so that eight bits hold a count.
SortedOffsets::Distinct count_distinct(const Registers& keys) {
    constexpr unsigned sectors_at = 8, lines_at = 16, count_mask = 0xff;
    Eight counts{};
    for (unsigned r = 0; r < keys.size(); ++r) {
        const Eight before = r == 0 ? pick<one_back_or_first>(keys[0], keys[0])
                                    : pick<one_back>(keys[r - 1], keys[r]);
        const Eight differences = keys[r] ^ before;
        counts += differences != 0 ? Eight{} + 1 : Eight{};
        counts += differences >= sector_bytes ? Eight{} + (1u << sectors_at) : Eight{};
        counts += differences >= line_bytes ? Eight{} + (1u << lines_at) : Eight{};
    }
    std::uint32_t sum = 0;
    for (unsigned i = 0; i < width; ++i) sum += counts[i];
    return {1 + (sum & count_mask), 1 + (sum >> sectors_at & count_mask), 1 + (sum >> lines_at)};
}

}  // namespace

SortedOffsets::SortedOffsets(Address base, const Keys& from_base)
    : line_(base / line_bytes * line_bytes) {
    const auto in_line = static_cast<std::uint32_t>(base % line_bytes);
    const EightInArray* const from = reinterpret_cast<const EightInArray*>(from_base.data());
    EightInArray* const to = reinterpret_cast<EightInArray*>(keys_.data());
    Registers keys;
    for (std::size_t r = 0; r < keys.size(); ++r) keys[r] = from[r] + in_line;
    sort(keys);
    for (std::size_t r = 0; r < keys.size(); ++r) to[r] = keys[r];
    distinct_ = count_distinct(keys);
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
