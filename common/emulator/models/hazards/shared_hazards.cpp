#include "emulator/models/hazards/shared_hazards.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace emulator {

void SharedMemoryHazards::begin_block(std::size_t shared_bytes, bool sees_fences) {
    sees_fences_ = sees_fences;
    const std::size_t words = (shared_bytes + 3) / 4;
    groups_.resize((words + RaceGroup::size - 1) / RaceGroup::size);
    initialised_.resize(words);
    settled_.resize(words);
    // Bytes are kept in the lowest four bits, above them the block's number.
    if (++generation_ == 1u << 28) {
        std::ranges::fill(initialised_, 0);
        generation_ = 1;
    }
    early_reads_.clear();
    copies_.clear();
    copied_.clear();
    fenced_ = released_ = false;
    synchronise();
}

RaceRecord SharedMemoryHazards::record_of(Accessor who, AccessKind kind, Site site,
                                          bool is_volatile) const {
    const bool is_atomic = kind == AccessKind::atomic;
    const RaceRecord flags = (is_atomic || is_volatile ? race_flag::strong : 0) |
                             (is_atomic ? race_flag::atomic : 0) |
                             (kind != AccessKind::load ? race_flag::changes : 0);
    return Records::make(epoch_, who.warp_epoch, who.thread, site, flags);
}

// Whether nothing makes `before` happen before `mine`: no barrier of the block, nor of their warp.
bool SharedMemoryHazards::conflicts(RaceRecord before, RaceRecord mine) {
    using namespace race_flag;
    const bool same_warp = Records::warp(before) == Records::warp(mine);
    const RaceRecord both = before & mine;
    if ((both & atomic) != 0 || (!same_warp && (both & strong) != 0)) return false;
    const bool same_time = Records::epoch(before) == Records::epoch(mine);
    const bool others =
        Records::thread(before) != Records::thread(mine) || (before & other_lanes) != 0;
    return !same_warp || (before & other_warps) != 0 || (same_time && others);
}

template <class Visit>
void SharedMemoryHazards::for_words(std::uint32_t offset, std::uint32_t bytes, const Visit& visit) {
    const std::uint32_t end = offset + bytes;
    for (std::uint32_t word = offset / 4; 4 * word < end; ++word) {
        const std::uint32_t first = std::max(offset, 4 * word) - 4 * word;
        const std::uint32_t beyond = std::min(end, 4 * word + 4) - 4 * word;
        const unsigned mask = ((1u << beyond) - 1) & ~((1u << first) - 1);
        visit(word, static_cast<std::uint8_t>(mask));
    }
}

void SharedMemoryHazards::access(Accessor who, std::uint32_t offset, std::uint32_t bytes,
                                 AccessKind kind, Site site, bool is_volatile,
                                 const StoredValues* values) {
    const RaceRecord record = record_of(who, kind, site, is_volatile);
    for_words(offset, bytes, [&](std::uint32_t word, std::uint8_t byte_mask) {
        access_word(word, record | RaceRecord{byte_mask} << Records::bytes_shift,
                    kind != AccessKind::store, values);
    });
}

void SharedMemoryHazards::access(const WarpAccess& access) {
    const RaceRecord first =
        record_of({access.first_thread, access.warp_epoch}, access.kind, access.site,
                  access.is_strong && access.kind != AccessKind::atomic);
    if (access.is_side_by_side && access_side_by_side(access, first)) return;
    if (access.kind == AccessKind::load && !access.is_strong && are_settled(access)) return;
    const bool reads = access.kind != AccessKind::store && !access.overwrites;
    for_places(access, access.mask, [&](unsigned lane, bool is_shared) {
        const RaceRecord mine =
            Records::of_lane(first, lane) | (is_shared ? race_flag::other_lanes : 0);
        for_words(access.offsets[lane], access.bytes,
                  [&](std::uint32_t word, std::uint8_t byte_mask) {
                      access_word(word, mine | RaceRecord{byte_mask} << Records::bytes_shift, reads,
                                  access.values);
                  });
    });
}

bool SharedMemoryHazards::are_settled(const WarpAccess& access) const {
    if (access.bytes > 4 || !copied_.empty()) return false;
    std::uint32_t missing = 0;
    if (access.mask == ~0u) {
        for (int lane = 0; lane < warp_size; ++lane)
            missing |= settled_[access.offsets[lane] / 4] ^ epoch_;
        return missing == 0;
    }
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1)
        missing |= settled_[access.offsets[std::countr_zero(rest)] / 4] ^ epoch_;
    return missing == 0;
}

// False where it has to be noted word by word.
bool SharedMemoryHazards::access_side_by_side(const WarpAccess& access, RaceRecord first) {
    constexpr std::uint32_t group_bytes = 4 * RaceGroup::size;
    const std::uint32_t offset = access.offsets[0];
    if (access.is_strong || access.mask != ~0u || offset % group_bytes != 0 ||
        access.bytes % 4 != 0 || !copied_.empty())
        return false;
    const std::size_t words = access.bytes / 4 * RaceGroup::size;
    const std::uint32_t whole = generation_ << 4 | 15;
    std::uint32_t* const bytes = initialised_.data() + offset / 4;
    if (access.kind == AccessKind::load) {
        std::uint32_t missing = 0;
        for (std::size_t i = 0; i < words; ++i) missing |= bytes[i] ^ whole;
        if (missing != 0) return false;
    }
    const auto words_of_lane = static_cast<std::uint8_t>(access.bytes / 4);
    for (std::size_t group = 0; group < words_of_lane; ++group) {
        const std::size_t lane = group * warp_size / words_of_lane;
        if (!groups_[offset / group_bytes + group].note<Records>(
                Records::of_lane(first, lane), words_of_lane, Records::first_of(epoch_), conflicts))
            return false;
    }
    if (access.kind == AccessKind::load) return true;
    std::fill_n(bytes, words, whole);
    std::fill_n(settled_.data() + offset / 4, words, 0);
    return true;
}

void SharedMemoryHazards::access_word(std::uint32_t word, RaceRecord mine, bool reads,
                                      const StoredValues* values) {
    const auto bytes =
        static_cast<std::uint32_t>((mine & Records::bytes_mask) >> Records::bytes_shift);
    std::uint32_t& initialised = initialised_[word];
    if (initialised >> 4 != generation_) initialised = generation_ << 4;
    if (reads && (bytes & ~initialised) != 0) {
        early_reads_.push_back({word,
                                static_cast<std::uint8_t>(bytes),
                                {HazardKind::uninitialised_read, Records::thread(mine), 0,
                                 Records::site(mine), no_site, 4 * word}});
    }
    if (!copied_.empty()) {
        const auto copy = copied_.find(word);
        if (copy != copied_.end() && Records::same_bytes(copy->second, mine))
            report(HazardKind::copy_not_awaited, mine, word, copy->second);
    }
    if (!group_of(word).note_own<Records>(word % RaceGroup::size, mine, Records::first_of(epoch_),
                                          words_))
        compare_word(word, mine, values);
    // An update of a value that nothing has written leaves it uninitialised.
    if (!reads) initialised |= bytes;
    settle(word, mine);
}

void SharedMemoryHazards::compare_word(std::uint32_t word, RaceRecord mine,
                                       const StoredValues* values) {
    const auto [written, other] =
        group_of(word).word<Records>(word % RaceGroup::size, mine, words_);
    note_word<Records>(
        written, other, mine, Records::first_of(epoch_), conflicts,
        [&](RaceRecord before) {
            return values != nullptr &&
                   values->is_same(Records::thread(mine), Records::thread(before));
        },
        [&](HazardKind kind, RaceRecord before) { report(kind, mine, word, before); });
}

// Behind an access to the word.
void SharedMemoryHazards::settle(std::uint32_t word, RaceRecord mine) {
    const bool is_plain_load = (mine & (race_flag::changes | race_flag::strong)) == 0;
    const bool is_settled =
        is_plain_load && initialised_[word] == (generation_ << 4 | 15) &&
        group_of(word).is_read_by_many<Records>(word % RaceGroup::size, Records::first_of(epoch_));
    settled_[word] = is_settled ? epoch_ : 0;
}

void SharedMemoryHazards::synchronise() {
    for (const EarlyRead& read : early_reads_) {
        if ((read.byte_mask & ~initialised_[read.word]) == 0) continue;
        findings_.try_emplace(identity(read.hazard), read.hazard);
    }
    // Said once: what reads these words later is not to blame.
    for (const EarlyRead& read : early_reads_) initialised_[read.word] |= read.byte_mask;
    early_reads_.clear();
    if (++epoch_ < Records::max_interval) return;
    for (RaceGroup& group : groups_) group.forget();
    std::ranges::fill(settled_, 0);
    epoch_ = 1;
}

void SharedMemoryHazards::acquire() {
    if (!released_) return;
    synchronise();
    fenced_ = released_ = false;
}

void SharedMemoryHazards::copy(Accessor who, std::uint32_t offset, std::uint32_t bytes, Site site) {
    access(who, offset, bytes, AccessKind::store, site);
    if (copies_.size() <= who.thread) copies_.resize(who.thread + std::size_t{1});
    Copies& its = copies_[who.thread];
    for_words(offset, bytes, [&](std::uint32_t number, std::uint8_t byte_mask) {
        copied_[number] = std::exchange(written_of(number, 0), 0);
        its.pieces.push_back({number, its.committed, byte_mask, site});
    });
}

void SharedMemoryHazards::commit_copies(std::uint16_t thread) {
    if (thread < copies_.size()) ++copies_[thread].committed;
}

void SharedMemoryHazards::wait_for_copies(Accessor who, std::uint32_t groups) {
    if (who.thread >= copies_.size()) return;
    const std::uint32_t committed = copies_[who.thread].committed;
    finish_copies(who, committed - std::min(committed, groups));
}

void SharedMemoryHazards::wait_for_all_copies(Accessor who) {
    if (who.thread < copies_.size()) finish_copies(who, copies_[who.thread].committed + 1);
}

// The copied bytes count as the thread's store from now on.
void SharedMemoryHazards::finish_copies(Accessor who, std::uint32_t first_group_on_its_way) {
    std::erase_if(copies_[who.thread].pieces, [&](const Piece& piece) {
        if (piece.group >= first_group_on_its_way) return false;
        const auto copy = copied_.find(piece.word);
        if (copy != copied_.end() && Records::thread(copy->second) == who.thread)
            copied_.erase(copy);
        const RaceRecord mine = record_of(who, AccessKind::store, piece.site, false) |
                                RaceRecord{piece.byte_mask} << Records::bytes_shift;
        written_of(piece.word, mine) = mine;
        settled_[piece.word] = 0;
        return true;
    });
}

void SharedMemoryHazards::divergent_barrier(Accessor waiting, Site site, std::uint16_t other,
                                            Site other_site) {
    const Hazard hazard{HazardKind::divergent_barrier, waiting.thread, other, site, other_site, 0};
    findings_.try_emplace(identity(hazard), hazard);
}

void SharedMemoryHazards::report(HazardKind kind, RaceRecord mine, std::uint32_t word,
                                 RaceRecord before) {
    const bool same_warp = Records::warp(before) == Records::warp(mine);
    const bool is_known = Records::thread(before) != Records::thread(mine) &&
                          !(same_warp && (before & race_flag::other_warps) != 0);
    const Hazard hazard{
        kind,
        Records::thread(mine),
        is_known || kind == HazardKind::copy_not_awaited ? Records::thread(before) : no_thread,
        Records::site(mine),
        Records::site(before),
        4 * word};
    findings_.try_emplace(identity(hazard), hazard);
}

std::vector<Hazard> SharedMemoryHazards::take_findings() {
    std::vector<Hazard> result;
    result.reserve(findings_.size());
    for (const auto& [key, hazard] : findings_) result.push_back(hazard);
    findings_.clear();
    return result;
}

}  // namespace emulator
