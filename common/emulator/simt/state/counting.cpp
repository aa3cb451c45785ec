#include "emulator/simt/state/counting.hpp"

#include <algorithm>

namespace emulator::simt {

Pattern RequestCounter::nothing_;

namespace {

PatternKind kind_of(const LaneOffsets& relative, std::uint32_t mask, std::uint32_t bytes) {
    if (std::ranges::all_of(relative, [](std::uint32_t offset) { return offset == 0; })) {
        return PatternKind::uniform;
    }
    if (mask != 0xffffffffu) return PatternKind::other;
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
        if (relative[lane] != lane * bytes) return PatternKind::other;
    }
    return PatternKind::contiguous;
}

std::uint64_t hash_of(const LaneOffsets& relative, std::uint32_t mask) {
    // Vectorised: a product for each lane, then their sum.
    std::uint32_t low = 0, high = 0;
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
        low += relative[lane] * (2 * lane * 0x9e3779b1u + 1);
        high ^= (relative[lane] + lane) * 0x85ebca6bu;
    }
    return (std::uint64_t{high} << 32 | low) * 0x9e3779b97f4a7c15u + mask + 1;
}

}  // namespace

Pattern* RequestCounter::find_other(const LaneOffsets& offsets, std::uint32_t mask,
                                    std::uint32_t bytes) {
    const std::uint32_t first = offsets[static_cast<std::size_t>(std::countr_zero(mask))];
    alignas(64) LaneOffsets relative;
    for (std::size_t lane = 0; lane < warp_size; ++lane) relative[lane] = offsets[lane] - first;
    const std::uint64_t hash = hash_of(relative, mask);
    const std::size_t place = hash >> 58;
    static_assert(recent_patterns == 64);
    if (!known_) known_ = std::make_unique<Known>();
    Pattern* const known = known_->by_hash[place];
    if (known != nullptr && known->hash == hash && known->mask == mask &&
        known->relative == relative) {
        return current_ = known;
    }
    const PatternKind kind = kind_of(relative, mask, bytes);
    if (kind == PatternKind::other && known_->seen_once[place] != hash) {
        known_->seen_once[place] = hash;
        return nullptr;
    }
    if (known_->patterns.size() >= max_patterns) return nullptr;
    Pattern& pattern = *known_->patterns.emplace_back(std::make_unique<Pattern>());
    pattern.relative = relative;
    pattern.mask = mask;
    pattern.kind = kind;
    pattern.hash = hash;
    known_->by_hash[place] = &pattern;
    return current_ = &pattern;
}

AccessCounters RequestCounter::total(const CostModel& model) const {
    AccessCounters total = sums_;
    if (!known_) return total;
    for (const auto& pattern : known_->patterns) {
        for (std::uint32_t first = 0; first < bank_row_bytes; ++first) {
            if (pattern->seen[first] == 0) continue;
            std::array<Address, warp_size> addresses;
            for (std::size_t lane = 0; lane < warp_size; ++lane) {
                // Differences are modulo 2^32: lanes may lie below the first one.
                addresses[lane] = (Address{1} << 40) + first +
                                  static_cast<Address>(std::int64_t{
                                      static_cast<std::int32_t>(pattern->relative[lane])});
            }
            total.add(model.cost({addresses, pattern->mask, model.bytes_per_lane}),
                      pattern->seen[first]);
        }
    }
    return total;
}

}  // namespace emulator::simt
