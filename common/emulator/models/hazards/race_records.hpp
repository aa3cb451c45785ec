// Who has accessed a word last, in 64 bits: what shared and global memory have in common.
//
// Two records a word: its last plain store; and of all other accesses a plain load, else an atomic or volatile one. Of several
// threads the first one stays, with a flag. An interval is what has passed between two barriers of the block.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "emulator/models/hazards/hazards.hpp"

namespace emulator {

using RaceRecord = std::uint64_t;

// From the highest bits on: interval, epoch of the warp, thread (10), bytes of the word (4), site (13), flags (5).
// So one comparison of two records tells in which interval a word was accessed last.
template <unsigned interval_bits>
struct RaceRecords {
    static constexpr unsigned epoch_bits = 32 - interval_bits;
    static constexpr unsigned site_shift = 5, bytes_shift = 18, thread_shift = 22, epoch_shift = 32,
                              interval_shift = 32 + epoch_bits;
    static constexpr std::uint32_t max_interval = (1u << (interval_bits - 1)) - 1;  // below 2^63
    static constexpr RaceRecord site_mask = (1u << 13) - 1,
                                bytes_mask = RaceRecord{15} << bytes_shift;

    static std::uint32_t interval(RaceRecord record) {
        return static_cast<std::uint32_t>(record >> interval_shift);
    }
    static std::uint32_t epoch(RaceRecord record) {
        return record >> epoch_shift & ((1u << epoch_bits) - 1);
    }
    static std::uint16_t thread(RaceRecord record) { return record >> thread_shift & 1023; }
    static std::uint32_t warp(RaceRecord record) { return thread(record) / warp_size; }
    static Site site(RaceRecord record) {
        const auto number = static_cast<Site>(record >> site_shift & site_mask);
        return number == site_mask ? no_site : number;
    }
    static RaceRecord first_of(std::uint32_t interval) {
        return RaceRecord{interval} << interval_shift;
    }
    // Without bytes.
    static RaceRecord make(std::uint32_t interval, std::uint32_t epoch, std::uint16_t thread,
                           Site site, RaceRecord flags) {
        return first_of(interval) | RaceRecord{epoch & ((1u << epoch_bits) - 1)} << epoch_shift |
               RaceRecord{thread} << thread_shift |
               (site < site_mask ? RaceRecord{site} : site_mask) << site_shift | flags;
    }
    static RaceRecord of_lane(RaceRecord first, std::size_t lane) {
        return first + (RaceRecord{lane} << thread_shift);
    }
    static bool same_thread_and_time(RaceRecord a, RaceRecord b) {
        return (a ^ b) >> thread_shift == 0;
    }
    static bool same_bytes(RaceRecord a, RaceRecord b) { return (a & b & bytes_mask) != 0; }
};

namespace race_flag {
constexpr RaceRecord strong = 1;   // atomic or volatile
constexpr RaceRecord changes = 2;  // a store or an atomic
constexpr RaceRecord atomic = 4;
constexpr RaceRecord other_lanes = 8;  // of the warp were there, too
constexpr RaceRecord other_warps = 16;
}  // namespace race_flag

// One record for all that do not plainly store: a plain load is kept rather than a strong access, for it races with more.
template <class Records>
void note_other(RaceRecord& other, RaceRecord mine, RaceRecord oldest, bool is_ordered) {
    using namespace race_flag;
    const bool is_recent = other >= oldest;
    if (is_recent && Records::same_thread_and_time(other, mine)) {
        if ((other & strong) >= (mine & strong))
            other = mine | (other & (Records::bytes_mask | other_lanes | other_warps));
        return;
    }
    if (!is_recent || !Records::same_bytes(other, mine) || is_ordered) {
        other = mine;
    } else if ((other & strong) != 0 && (mine & strong) == 0) {
        other = mine;
    } else if ((other & strong) == (mine & strong)) {
        const bool same_warp = Records::interval(other) == Records::interval(mine) &&
                               Records::warp(other) == Records::warp(mine);
        other |= same_warp ? other_lanes : other_warps;
    }
}

// Notes an access of one thread to one word. `conflicts(before, mine)`: whether nothing orders the two;
// `report(kind, before)`; `is_benign(before)`: of two stores, whether they store the same.
template <class Records, class Conflicts, class IsBenign, class Report>
void note_word(RaceRecord& written, RaceRecord& other, RaceRecord mine, RaceRecord oldest,
               const Conflicts& conflicts, const IsBenign& is_benign, const Report& report) {
    using namespace race_flag;
    const bool writes = (mine & changes) != 0, is_strong = (mine & strong) != 0;
    const auto meets = [&](RaceRecord before) {
        return before >= oldest && Records::same_bytes(before, mine) && conflicts(before, mine);
    };
    if (meets(written) && !(writes && !is_strong && is_benign(written)))
        report(writes ? HazardKind::write_after_write : HazardKind::read_after_write, written);
    const bool meets_other = meets(other);
    if (meets_other && (other & changes) != 0)
        report(writes ? HazardKind::write_after_write : HazardKind::read_after_write, other);
    else if (meets_other && writes)
        report(HazardKind::write_after_read, other);
    if (writes && !is_strong) {
        const bool is_own = Records::same_thread_and_time(written, mine);
        written = is_own ? mine | (written & Records::bytes_mask) : mine;
    } else {
        note_other<Records>(other, mine, oldest, other >= oldest && !meets_other);
    }
}

// Calls `visit(lane, is_shared)` for the lanes of a request; of neighbours that load one and the same place for the first alone.
template <class Visit>
void for_places(const WarpAccess& access, const Visit& visit) {
    const bool is_load = access.kind == AccessKind::load;
    for (std::uint32_t rest = access.mask; rest != 0;) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        rest &= rest - 1;
        bool is_shared = false;
        while (is_load && rest != 0 &&
               access.offsets[std::countr_zero(rest)] == access.offsets[lane]) {
            rest &= rest - 1;
            is_shared = true;
        }
        visit(lane, is_shared);
    }
}

// Words side by side, as many as a warp has lanes. As long as whole warps access them in the order of their lanes, one record
// of the first lane stands for all.
class RaceGroup {
  public:
    static constexpr std::size_t size = warp_size;  // words

    // An access by the lanes of a warp, `words_of_lane` each, the first of which is `mine`'s thread. False where it has to be
    // noted word by word: some words differ, or it meets another access.
    template <class Records, class Conflicts>
    bool note(RaceRecord mine, std::uint8_t words_of_lane, RaceRecord oldest,
              const Conflicts& conflicts) {
        if (is_expanded_ && latest_ < oldest) forget();
        if (is_expanded_) return false;
        Pair next = whole_;
        const bool is_store =
            (mine & (race_flag::strong | race_flag::changes)) == race_flag::changes;
        if (next.written >= oldest && written_words_ != words_of_lane) return false;
        if (next.other >= oldest && other_words_ != words_of_lane) return false;
        bool meets = false;
        note_word<Records>(
            next.written, next.other, mine | Records::bytes_mask, oldest, conflicts,
            [](RaceRecord) { return false; }, [&](HazardKind, RaceRecord) { meets = true; });
        if (meets) return false;
        whole_ = next;
        (is_store ? written_words_ : other_words_) = words_of_lane;
        return true;
    }

    struct Pair {
        RaceRecord written = 0, other = 0;
    };
    template <class Records>
    Pair& word(std::size_t number, RaceRecord mine, RaceRecord oldest) {
        if (is_expanded_ && latest_ < oldest) forget();
        if (!is_expanded_) expand<Records>();
        latest_ = std::max(latest_, mine);
        return (*words_)[number];
    }
    // Whether a plain load has nothing to tell: nothing has written the word since `oldest`, and other warps have read it.
    template <class Records>
    bool is_read_by_many(std::size_t number, RaceRecord oldest) const {
        const Pair& it = is_expanded_ ? (*words_)[number] : whole_;
        return it.written < oldest && it.other >= oldest &&
               (it.other & (race_flag::other_warps | race_flag::strong | Records::bytes_mask)) ==
                   (race_flag::other_warps | Records::bytes_mask);
    }
    void prefetch(std::size_t number) const {
        if (is_expanded_) __builtin_prefetch(&(*words_)[number]);
    }
    void forget() {
        whole_ = {};
        is_expanded_ = false;
    }

  private:
    template <class Records>
    void expand() {
        if (!words_) words_ = std::make_unique<std::array<Pair, size>>();
        const auto of_word = [](RaceRecord first, std::size_t lane) {
            return first == 0 ? 0 : Records::of_lane(first, lane);
        };
        for (std::size_t i = 0; i < size; ++i)
            (*words_)[i] = {of_word(whole_.written, i / written_words_),
                            of_word(whole_.other, i / other_words_)};
        latest_ = std::max(whole_.written, whole_.other);
        is_expanded_ = true;
    }

    Pair whole_;
    RaceRecord latest_ = 0;  // of its words
    std::unique_ptr<std::array<Pair, size>> words_;
    std::uint8_t written_words_ = 1, other_words_ = 1;
    bool is_expanded_ = false;
};

}  // namespace emulator
