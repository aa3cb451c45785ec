#include "timing/clock_reads.hpp"

#include <algorithm>

namespace timing {
namespace {

// From one reading to the next, where no two were recorded.
constexpr double min_cycles = 16;

double extrapolated(const std::vector<double>& recorded, std::size_t read) {
    if (read < recorded.size()) return recorded[read];
    if (recorded.empty()) return min_cycles * static_cast<double>(read + 1);
    const double intervals = static_cast<double>(recorded.size() - 1);
    const double each =
        intervals > 0 ? (recorded.back() - recorded.front()) / intervals : min_cycles;
    return recorded.back() + each * static_cast<double>(read + 1 - recorded.size());
}

}  // namespace

double ClockReads::at(std::uint64_t block, std::size_t warp, std::size_t read) const {
    // Each SM gets its blocks one after another, as the recorded one does.
    std::uint64_t number = block / sms;
    double waves = 0;
    if (number >= cycles.size()) {
        const std::uint64_t wave = std::min<std::size_t>(resident_blocks, cycles.size());
        const std::uint64_t beyond = number - cycles.size();
        waves = static_cast<double>(beyond / wave + 1);
        number = cycles.size() - wave + beyond % wave;
    }
    return launch_began + waves * cycles_per_wave + extrapolated(cycles[number][warp], read);
}

}  // namespace timing
