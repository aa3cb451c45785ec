#include "emulator/sectored_cache.hpp"

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

bool SectoredCache::load(Address sector) {
    if (lines_.empty()) return false;
    const Address number = sector / line_bytes;
    const auto bit = static_cast<std::uint8_t>(1u << (sector / sector_bytes % 4));
    std::uint32_t at = newest_ != none && lines_[newest_].number == number ? newest_ : find(number);
    if (at == none) at = replace_oldest(number);
    if (at != newest_) make_newest(at);
    Line& line = lines_[at];
    const bool hit = (line.present & bit) != 0;
    line.present |= whole_lines_ ? std::uint8_t{0xf} : bit;
    return hit;
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
