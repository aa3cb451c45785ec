#include "timing/sm/clock_reads.hpp"

#include <algorithm>

namespace timing {
namespace {

// From one reading to the next, where no two were recorded.
constexpr double min_cycles = 16;

double cycles_at(const WarpClock& warp, std::size_t read) {
    if (read < warp.cycles.size()) return warp.cycles[read];
    const double each =
        warp.recorded == 0 ? 1 : (warp.end - warp.begin) / static_cast<double>(warp.recorded);
    const std::uint64_t behind = std::max(warp.instructions[read], warp.recorded) - warp.recorded;
    return warp.end + each * static_cast<double>(behind);
}

double extrapolated(const WarpClock& warp, std::size_t read) {
    const std::size_t known = std::max(warp.cycles.size(), warp.instructions.size());
    if (read < known) return cycles_at(warp, read);
    if (known == 0) return min_cycles * static_cast<double>(read + 1);
    const double last = cycles_at(warp, known - 1);
    const double each =
        known > 1 ? (last - cycles_at(warp, 0)) / static_cast<double>(known - 1) : min_cycles;
    return last + each * static_cast<double>(read + 1 - known);
}

}  // namespace

double ClockReads::at(std::uint64_t block, std::size_t warp, std::size_t read) const {
    // Each SM gets its blocks one after another, as the recorded one does.
    std::uint64_t number = block / sms;
    double waves = 0;
    if (number >= warps.size()) {
        const std::uint64_t wave = std::min<std::size_t>(resident_blocks, warps.size());
        const std::uint64_t beyond = number - warps.size(), later_waves = beyond / wave + 1;
        waves = static_cast<double>(later_waves);
        number = warps.size() - wave + beyond % wave;
    }
    return launch_began + waves * cycles_per_wave + extrapolated(warps[number][warp], read);
}

}  // namespace timing
