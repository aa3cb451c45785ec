#include "emulator/models/sectored_cache.hpp"

#include <algorithm>
#include <bit>

namespace emulator {

SectoredCache::SectoredCache(std::size_t capacity_bytes, bool whole_lines)
    : lines_(capacity_bytes / line_bytes), whole_lines_(whole_lines) {
    const std::size_t buckets = std::bit_ceil(std::max<std::size_t>(2 * lines_.size(), 2));
    buckets_.assign(buckets, none);
    shift_ = 64 - std::countr_zero(buckets);
}

void SectoredCache::clear() {
    std::fill(buckets_.begin(), buckets_.end(), none);
    used_ = 0;
    newest_ = oldest_ = none;
}

SectoredCache::Loaded SectoredCache::load(std::span<const Address> sectors) {
    if (lines_.empty()) return {0, sectors};
    fetched_.clear();
    std::size_t hits = 0;
    for (std::size_t i = 0; i < sectors.size();) {
        const Address line = sectors[i] / line_bytes;
        unsigned wanted = 0;
        for (; i < sectors.size() && sectors[i] / line_bytes == line; ++i) {
            wanted |= 1u << (sectors[i] / sector_bytes % 4);
        }
        std::uint8_t& present = present_sectors_of(line);
        const unsigned missing = wanted & ~unsigned{present};
        hits += static_cast<std::size_t>(std::popcount(wanted & present));
        const unsigned brought = missing != 0 && whole_lines_ ? 0xfu & ~unsigned{present} : missing;
        for (unsigned sector = 0; sector < 4; ++sector) {
            if ((brought >> sector & 1) != 0) fetched_.push_back(line * line_bytes + sector * sector_bytes);
        }
        present = static_cast<std::uint8_t>(present | brought);
    }
    return {hits, fetched_};
}

// Of a line that is used now; another one is evicted for it if need be.
std::uint8_t& SectoredCache::present_sectors_of(Address line) {
    std::uint32_t at = newest_ != none && lines_[newest_].number == line ? newest_ : find(line);
    if (at == none) at = replace_oldest(line);
    if (at != newest_) make_newest(at);
    return lines_[at].present;
}

std::uint32_t SectoredCache::find(Address number) const {
    std::uint32_t at = buckets_[(number * 0x9e3779b97f4a7c15u) >> shift_];
    while (at != none && lines_[at].number != number) at = lines_[at].next;
    return at;
}

// A line for `number`, without sectors, at the old end of the order of use.
std::uint32_t SectoredCache::replace_oldest(Address number) {
    std::uint32_t at;
    if (used_ < lines_.size()) {
        at = used_++;
        lines_[at].newer = oldest_;
        lines_[at].older = none;
        (oldest_ == none ? newest_ : lines_[oldest_].older) = at;
        oldest_ = at;
    } else {
        at = oldest_;
        std::uint32_t* link = &bucket(lines_[at].number);
        while (*link != at) link = &lines_[*link].next;
        *link = lines_[at].next;
    }
    lines_[at].number = number;
    lines_[at].present = 0;
    lines_[at].next = bucket(number);
    bucket(number) = at;
    return at;
}

void SectoredCache::make_newest(std::uint32_t at) {
    Line& line = lines_[at];
    (line.newer == none ? newest_ : lines_[line.newer].older) = line.older;
    (line.older == none ? oldest_ : lines_[line.older].newer) = line.newer;
    line.newer = none;
    line.older = newest_;
    (newest_ == none ? oldest_ : lines_[newest_].newer) = at;
    newest_ = at;
}

}  // namespace emulator
