#include "timing/memory/evictions.hpp"

#include <unordered_map>

namespace timing {

Evictions::Evictions(const LaunchTrace& trace) {
    std::unordered_map<emulator::Address, std::size_t> places;
    std::vector<emulator::LineSectors> written;
    const auto note = [&](emulator::LineSectors line) {
        const auto [place, is_new] = places.try_emplace(line.line(), written.size());
        if (is_new) written.emplace_back();
        emulator::LineSectors& known = written[place->second];
        known = emulator::LineSectors(line.line(), known.sectors() | line.sectors());
    };
    for (const BlockTrace& block : trace.blocks) {
        for (const WarpTrace& warp : block) {
            for (const Access& access : warp.accesses) {
                if (!access.stores() || access.space == Space::local) continue;
                for (const emulator::LineSectors line : trace.lines_of(access)) note(line);
            }
        }
    }
    for (const emulator::LineSectors line : written)
        lines_.push_back({line.line(), line.count() * double{emulator::sector_bytes}});
}

std::optional<Evictions::Line> Evictions::next() {
    if (lines_.empty() || due_ < lines_[next_].bytes) return std::nullopt;
    const Line line = lines_[next_];
    due_ -= line.bytes;
    next_ = (next_ + 1) % lines_.size();
    return line;
}

}  // namespace timing
