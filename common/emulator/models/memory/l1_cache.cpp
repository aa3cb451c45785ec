#include "emulator/models/memory/l1_cache.hpp"

#include <algorithm>
#include <bit>

namespace emulator {
namespace {

std::uint32_t count(std::uint32_t sectors) {
    return static_cast<std::uint32_t>(std::popcount(sectors));
}

}  // namespace

// A log of several times the lines: void entries are dropped seldom, even where most uses are hits.
SectoredCache::SectoredCache(std::size_t capacity_bytes, bool whole_lines, std::uint32_t max_uses)
    : capacity_lines_(capacity_bytes / line_bytes),
      also_filled_(whole_lines ? all_sectors : 0),
      max_uses_(max_uses),
      log_(4 * std::bit_ceil(capacity_lines_ + lines_at_once)) {}

SectoredCache::Loaded SectoredCache::load(std::span<const LineSectors> lines) {
    Loaded loaded;
    if (fetched_.size() < lines.size()) fetched_.resize(lines.size());
    if (lines.size() == 1 && capacity_lines_ > 0) {
        const Line wanted = lines[0].sectors(), present = use(lines[0]);
        const Line brought = (wanted | also_filled_) & ~present;
        loaded.hit_sectors = count(wanted & present);
        if (brought == 0) return loaded;
        loaded.fetched_sectors = count(brought);
        fetched_[0] = LineSectors(lines[0].line(), brought);
        loaded.fetched = {fetched_.data(), 1};
        return loaded;
    }
    LineSectors* fetched = fetched_.data();
    while (!lines.empty()) {
        const auto some = lines.first(std::min(lines.size(), lines_at_once));
        lines = lines.subspan(some.size());
        Sectors wanted, present;
        for (std::size_t i = 0; i < some.size(); ++i) wanted[i] = some[i].sectors();
        std::fill_n(present.begin(), capacity_lines_ == 0 ? some.size() : 0, 0);
        if (capacity_lines_ > 0) use(some, wanted, present);
        for (std::size_t i = 0; i < some.size(); ++i) {
            const Line brought = (wanted[i] | also_filled_) & ~present[i];
            loaded.hit_sectors += count(wanted[i] & present[i]);
            loaded.fetched_sectors += count(brought);
            *fetched = LineSectors(some[i].line(), brought);
            fetched += brought != 0;
        }
    }
    loaded.fetched = {fetched_.data(), fetched};
    return loaded;
}

// Makes a line the newest and its sectors present; returns those that were present before.
SectoredCache::Line SectoredCache::use(LineSectors line) {
    Line& place = *place_of(line);
    const bool is_present = place >> sector_bits >= oldest_;
    const Line present = is_present ? place & all_sectors : 0;
    const Line filled = present | line.sectors() | also_filled_;
    if (is_present && place >> sector_bits == next_ - 1) {
        place = (next_ - 1) << sector_bits | filled;  // it is the newest already
        return present;
    }
    make_room_in_log();
    place = next_ << sector_bits | filled;
    *entry(next_++) = &place;
    lines_ += !is_present;
    if (lines_ > capacity_lines_) {
        oldest_ = skip_lines(oldest_, 1);
        --lines_;
    }
    return present;
}

// The same of several lines; `present`: the sectors that were.
void SectoredCache::use(std::span<const LineSectors> lines, const Sectors& wanted,
                        Sectors& present) {
    make_room_in_log();
    std::array<Line*, lines_at_once> places;
    Sectors known;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        places[i] = place_of(lines[i]);
        known[i] = *places[i];
    }
    const Line oldest = oldest_ << sector_bits;
    Line missing = 0, oldest_hit = ~Line{0};
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const Line none = known[i] < oldest ? ~Line{0} : 0;
        present[i] = known[i] & all_sectors & ~none;
        oldest_hit = std::min(oldest_hit, known[i] | none);
        missing -= none;
    }
    const std::size_t evicted = std::max(lines_ + missing, capacity_lines_) - capacity_lines_;
    if (evicted > lines_) return use_one_by_one(places, wanted, present, lines.size());
    const std::uint32_t kept = skip_lines(oldest_, evicted);
    // A hit among them may have been used again before its turn came.
    if (oldest_hit >> sector_bits < kept)
        return use_one_by_one(places, wanted, present, lines.size());
    Line** const log = log_.data();
    const std::size_t mask = log_.size() - 1;
    std::uint32_t next = next_;
    const Line also_filled = also_filled_;
    for (std::size_t i = 0; i < lines.size(); ++i, ++next) {
        *places[i] = next << sector_bits | present[i] | wanted[i] | also_filled;
        log[next & mask] = places[i];
    }
    next_ = next;
    oldest_ = kept;
    lines_ += missing - evicted;
}

void SectoredCache::use_one_by_one(const std::array<Line*, lines_at_once>& places,
                                   const Sectors& wanted, Sectors& present, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_present = *places[i] >> sector_bits >= oldest_;
        present[i] = is_present ? *places[i] & all_sectors : 0;
        *places[i] = next_ << sector_bits | present[i] | wanted[i] | also_filled_;
        *entry(next_++) = places[i];
        lines_ += !is_present;
        if (lines_ <= capacity_lines_) continue;
        oldest_ = skip_lines(oldest_, 1);
        --lines_;
    }
}

// Behind this many entries that are not void.
std::uint32_t SectoredCache::skip_lines(std::uint32_t oldest, std::size_t count) {
    Line* const* const log = log_.data();
    const std::size_t mask = log_.size() - 1;
    while (count > 0) {
        std::size_t skipped = 0;
        for (std::size_t i = 0; i < count; ++i, ++oldest)
            skipped += *log[oldest & mask] >> sector_bits == oldest;
        count -= skipped;
    }
    return oldest;
}

void SectoredCache::make_room_in_log() {
    if (next_ - oldest_ + lines_at_once > log_.size()) [[unlikely]]
        drop_void_entries();
    if (next_ + lines_at_once > max_uses_) [[unlikely]]
        number_again();
}

// Without branches: a line is as likely as not to have been used again.
void SectoredCache::drop_void_entries() {
    Line** const log = log_.data();
    const std::size_t mask = log_.size() - 1;
    std::uint32_t kept = oldest_;
    for (std::uint32_t use = oldest_; use != next_; ++use) {
        Line* const line = log[use & mask];
        const bool is_last_use = *line >> sector_bits == use;
        *line = is_last_use ? kept << sector_bits | (*line & all_sectors) : *line;
        log[kept & mask] = line;
        kept += is_last_use;
    }
    next_ = kept;
}

// By a multiple of the log's size lower, so that entries stay where they are.
void SectoredCache::number_again() {
    const auto size = static_cast<std::uint32_t>(log_.size());
    const std::uint32_t by = oldest_ / size * size;
    pages_.change_each([&](Page& page) {
        for (Line& line : page)
            line = line >> sector_bits >= oldest_ ? line - (by << sector_bits) : 0;
    });
    oldest_ -= by;
    next_ -= by;
}

}  // namespace emulator
