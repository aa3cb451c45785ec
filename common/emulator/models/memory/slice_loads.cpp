#include "emulator/models/memory/slice_loads.hpp"

#include <algorithm>
#include <cmath>

namespace emulator {
namespace {

constexpr Address page_bytes = Address{2} << 20;
constexpr Address numbers_of_page = 2048;

// The change in the order by each bit of a line's number, from the lowest one on: on an H200, within 256 MiB
// (common/tests/validation_set/slices).
constexpr std::array<std::uint16_t, 21> of_bits{
    0, 16, 0, 40, 66, 17, 43, 68, 9, 62, 229, 380, 559, 1050, 107, 55, 42, 57, 76, 59, 45,
};
constexpr std::size_t low_bits = 10, high_bits = of_bits.size() - low_bits;

template <std::size_t bits>
consteval std::array<std::uint16_t, 1 << bits> sums_from(std::size_t first) {
    std::array<std::uint16_t, 1 << bits> sums{};
    for (std::size_t i = 1; i < sums.size(); ++i) {
        const std::size_t rest = i & (i - 1);
        std::size_t bit = 0;
        while (((i ^ rest) >> bit & 1) == 0) ++bit;
        sums[i] = sums[rest] ^ of_bits[first + bit];
    }
    return sums;
}
constexpr auto low_sums = sums_from<low_bits>(0);
constexpr auto high_sums = sums_from<high_bits>(low_bits);

}  // namespace

SliceLoads::SliceLoads(unsigned slices)
    : slices_(slices), loads_(slices > 1 ? parts * slices : 0) {}

std::uint64_t SliceLoads::number_of(Address line) {
    const Address number = line / line_bytes;
    return line / page_bytes * numbers_of_page +
           (low_sums[number % low_sums.size()] ^
            high_sums[(number >> low_bits) % high_sums.size()]);
}

void SliceLoads::note(std::span<const LineSectors> lines) {
    if (loads_.empty() || lines.size() < min_lines) return;
    for (const LineSectors each : lines)
        ++loads_[part_ * slices_ + number_of(each.line()) % slices_];
}

void SliceLoads::merge(const SliceLoads& other) {
    for (std::size_t i = 0; i < loads_.size(); ++i) loads_[i] += other.loads_[i];
}

// The parts from `begin` to `end`: those of all slices, and those of the fullest one.
SliceLoads::Load SliceLoads::load_of(std::size_t begin, std::size_t end) const {
    Load load;
    for (std::size_t slice = 0; slice < slices_; ++slice) {
        double of_slice = 0;
        for (std::size_t part = begin; part < end; ++part)
            of_slice += loads_[part * slices_ + slice];
        load.sum += of_slice;
        load.most = std::max(load.most, of_slice);
    }
    return load;
}

double SliceLoads::unevenness(double lines) const {
    if (loads_.empty()) return 1;
    const double in_part = std::max(1.0, lines / double{parts});
    const auto length = static_cast<std::size_t>(
        std::clamp(std::round(window_lines / in_part), 1.0, double{parts}));
    Load all;
    for (std::size_t begin = 0; begin < parts; begin += length) {
        const Load load = load_of(begin, std::min(begin + length, parts));
        all.sum += load.sum;
        all.most += load.most;
    }
    return all.sum == 0 ? 1 : all.most * static_cast<double>(slices_) / all.sum;
}

}  // namespace emulator
