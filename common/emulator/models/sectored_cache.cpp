#include "emulator/models/sectored_cache.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace emulator {

SectoredCache::SectoredCache(std::size_t capacity_bytes, bool whole_lines)
    : lines_(capacity_bytes / line_bytes), whole_lines_(whole_lines) {
    if (lines_.size() >= none) throw std::invalid_argument("a cache of one SM has less than 8 MiB");
    const std::size_t buckets = std::bit_ceil(std::max<std::size_t>(2 * lines_.size(), 2));
    buckets_.assign(buckets, none);
    shift_ = 64 - std::countr_zero(buckets);
}

void SectoredCache::clear() {
    if (used_ == 0) return;
    std::fill(buckets_.begin(), buckets_.end(), none);
    used_ = 0;
    newest_ = oldest_ = none;
}

SectoredCache::Loaded SectoredCache::load(std::span<const LineSectors> lines) {
    Loaded loaded;
    fetched_.clear();
    for (const LineSectors wanted : lines) {
        if (lines_.empty()) {
            loaded.fetched_sectors += wanted.count();
            fetched_.push_back(wanted);
            continue;
        }
        std::uint8_t& present = used_now(wanted.line() / line_bytes).present;
        const unsigned missing = wanted.sectors() & ~unsigned{present};
        loaded.hit_sectors += static_cast<unsigned>(std::popcount(wanted.sectors() & present));
        if (missing == 0) continue;
        // Whole lines come whole: of one that lacks a sector, none is there.
        const unsigned brought = whole_lines_ ? 0xfu : missing;
        loaded.fetched_sectors += static_cast<unsigned>(std::popcount(brought));
        fetched_.push_back(LineSectors(wanted.line(), brought));
        present = static_cast<std::uint8_t>(present | brought);
    }
    loaded.fetched = fetched_;
    return loaded;
}

// The line of this number, now the newest; another one is evicted for it if need be.
SectoredCache::Line& SectoredCache::used_now(Address number) {
    if (newest_ != none && lines_[newest_].number == number) return lines_[newest_];
    Index at = find(number);
    if (at == none) at = newcomer(number);
    make_newest(at);
    return lines_[at];
}

SectoredCache::Index SectoredCache::find(Address number) const {
    Index at = buckets_[bucket_of(number)];
    while (at != none && lines_[at].number != number) at = lines_[at].next;
    return at;
}

// A line without sectors, outside the order of use: a free one, or the oldest.
SectoredCache::Index SectoredCache::newcomer(Address number) {
    Index at = used_;
    if (used_ < lines_.size()) {
        ++used_;
    } else {
        at = oldest_;
        oldest_ = lines_[at].newer;
        (oldest_ == none ? newest_ : lines_[oldest_].older) = none;
        Index* link = &buckets_[bucket_of(lines_[at].number)];
        while (*link != at) link = &lines_[*link].next;
        *link = lines_[at].next;
    }
    Index& bucket = buckets_[bucket_of(number)];
    lines_[at] = {.number = number, .next = bucket};
    bucket = at;
    return at;
}

void SectoredCache::make_newest(Index at) {
    if (at == newest_) return;
    Line& line = lines_[at];
    if (line.newer != none) {  // it is in the order of use
        lines_[line.newer].older = line.older;
        (line.older == none ? oldest_ : lines_[line.older].newer) = line.newer;
    }
    line.newer = none;
    line.older = newest_;
    (newest_ == none ? oldest_ : lines_[newest_].newer) = at;
    newest_ = at;
}

}  // namespace emulator
