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
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <vector>

#include "emulator/models/hazards/hazards.hpp"

namespace emulator {

using RaceRecord = std::uint64_t;

namespace race_flag {
constexpr RaceRecord strong = 1;   // atomic or volatile
constexpr RaceRecord changes = 2;  // a store or an atomic
constexpr RaceRecord atomic = 4;
constexpr RaceRecord other_lanes = 8;  // of the warp were there, too
constexpr RaceRecord other_warps = 16;
}  // namespace race_flag

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
    // The bits among these of a word that several warps have loaded, all of it and plainly.
    static constexpr RaceRecord kinds_mask =
        race_flag::other_warps | race_flag::strong | bytes_mask;
    static constexpr RaceRecord read_by_many = race_flag::other_warps | bytes_mask;

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

// Calls `visit(lane, is_shared)` for these lanes of a request; of neighbours that load one and the same place for the first alone.
template <class Visit>
void for_places(const WarpAccess& access, std::uint32_t mask, const Visit& visit) {
    const bool is_load = access.kind == AccessKind::load;
    if (is_load && access.is_uniform) {
        visit(static_cast<unsigned>(std::countr_zero(mask)), std::popcount(mask) > 1);
        return;
    }
    for (std::uint32_t rest = mask; rest != 0;) {
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

// Whether `record` is older than `oldest`, or of `mine`'s thread alone and of the same time.
template <class Records>
bool is_own(RaceRecord record, RaceRecord mine, RaceRecord oldest) {
    return record < oldest || (Records::same_thread_and_time(record, mine) &&
                               (record & (race_flag::other_lanes | race_flag::other_warps)) == 0);
}

// The records of the words of a group, one by one.
struct RaceWords {
    std::array<RaceRecord, warp_size> written, other;
};

// Memory for records, from chunk to chunk; it lives as long as the pool. Chunks of whole large pages are made of such: records
// are accessed at random, and the CPU has few walks through its page tables then.
struct ReleaseChunk {
    void operator()(void* chunk) const { std::free(chunk); }
};
std::unique_ptr<void, ReleaseChunk> allocate_chunk(std::size_t bytes);

template <class T>
class RecordPool {
  public:
    static_assert(std::is_trivially_destructible_v<T>);
    explicit RecordPool(std::size_t chunk_bytes) : chunk_bytes_(chunk_bytes) {}
    // Not initialised.
    T* take() {
        if (left_ == 0) {
            chunks_.push_back(allocate_chunk(chunk_bytes_));
            next_ = static_cast<T*>(chunks_.back().get());
            left_ = chunk_bytes_ / sizeof(T);
        }
        --left_;
        return next_++;
    }

  private:
    std::size_t chunk_bytes_;
    std::vector<std::unique_ptr<void, ReleaseChunk>> chunks_;
    T* next_ = nullptr;
    std::size_t left_ = 0;
};
constexpr std::size_t large_page_bytes = std::size_t{2} << 20;

// Words side by side, as many as a warp has lanes. As long as whole warps access them in the order of their lanes, one record
// of the first lane stands for all.
class RaceGroup {
  public:
    static constexpr std::size_t size = warp_size;  // words
    static constexpr std::size_t run = 8;           // words of a run

    // An access by the lanes of a warp, `words_of_lane` each. The first lane is `mine`'s thread. False where it has to be
    // noted word by word: some words differ, or it meets another access.
    template <class Records, class Conflicts>
    bool note(RaceRecord mine, std::uint8_t words_of_lane, RaceRecord oldest,
              const Conflicts& conflicts) {
        if (is_expanded_ && std::max(written_, other_) < oldest) forget();
        if (is_expanded_) return false;
        RaceRecord written = written_, other = other_;
        if (written >= oldest && written_words_ != words_of_lane) return false;
        if (other >= oldest && other_words_ != words_of_lane) return false;
        bool meets = false;
        note_word<Records>(
            written, other, mine | Records::bytes_mask, oldest, conflicts,
            [](RaceRecord) { return false; }, [&](HazardKind, RaceRecord) { meets = true; });
        if (meets) return false;
        written_ = written;
        other_ = other;
        (is_plain_store(mine) ? written_words_ : other_words_) = words_of_lane;
        return true;
    }

    // An access to one word. False where it has to be compared with others' accesses: see `word`.
    template <class Records>
    bool note_own(std::size_t number, RaceRecord mine, RaceRecord oldest,
                  RecordPool<RaceWords>& pool) {
        if (!is_expanded_) [[unlikely]]
            expand<Records>(pool);
        const bool is_store = is_plain_store(mine);
        RaceRecord& record = (is_store ? words_->written : words_->other)[number];
        if (!is_own<Records>(record, mine, oldest)) return false;
        // Words that were stored since and words that were loaded mostly are not the same: half of the records are not looked at.
        if ((is_store ? other_ : written_) >= oldest &&
            !is_own<Records>((is_store ? words_->other : words_->written)[number], mine, oldest))
            return false;
        note_latest(mine);
        if (!Records::same_thread_and_time(record, mine))
            record = mine;
        else if (is_store || (record & race_flag::strong) >= (mine & race_flag::strong))
            record = mine | (record & Records::bytes_mask);
        return true;
    }
    // Plain accesses of words side by side by lanes side by side, from `number` and `mine`'s thread on, each to one word. False
    // where they have to be noted one by one.
    template <class Records>
    bool note_run(std::size_t number, RaceRecord mine, RaceRecord oldest,
                  RecordPool<RaceWords>& pool) {
        if (!is_expanded_) [[unlikely]]
            expand<Records>(pool);
        const bool is_store = is_plain_store(mine);
        RaceRecord* const records = (is_store ? words_->written : words_->other).data() + number;
        if ((is_store ? other_ : written_) >= oldest) return false;
        RaceRecord newest = 0, first = ~RaceRecord{0}, unlike_many = 0;
        for (std::size_t i = 0; i < run; ++i) {
            newest = std::max(newest, records[i]);
            first = std::min(first, records[i]);
            unlike_many |= (records[i] & Records::kinds_mask) ^ Records::read_by_many;
        }
        if (!is_store && first >= oldest && unlike_many == 0) return true;
        if (newest >= oldest) return false;
        for (std::size_t i = 0; i < run; ++i) records[i] = Records::of_lane(mine, i);
        note_latest(mine);
        return true;
    }
    struct Word {
        RaceRecord& written;
        RaceRecord& other;
    };
    // The records of a word that is about to be accessed.
    template <class Records>
    Word word(std::size_t number, RaceRecord mine, RecordPool<RaceWords>& pool) {
        if (!is_expanded_) expand<Records>(pool);
        note_latest(mine);
        return {words_->written[number], words_->other[number]};
    }
    // Whether a plain load has nothing to tell: nothing has written the word since `oldest`, and other warps have read it.
    template <class Records>
    bool is_read_by_many(std::size_t number, RaceRecord oldest) const {
        const RaceRecord other = is_expanded_ ? words_->other[number] : other_;
        return other >= oldest && (other & Records::kinds_mask) == Records::read_by_many &&
               (written_ < oldest || (is_expanded_ && words_->written[number] < oldest));
    }
    // Ahead of an access to a word.
    void prefetch(std::size_t number, AccessKind kind) const {
        if (!is_expanded_) return;
        __builtin_prefetch(&(kind == AccessKind::store ? words_->written : words_->other)[number]);
    }
    void forget() {
        written_ = other_ = 0;
        is_expanded_ = false;
    }

  private:
    static bool is_plain_store(RaceRecord record) {
        return (record & (race_flag::strong | race_flag::changes)) == race_flag::changes;
    }
    void note_latest(RaceRecord mine) {
        RaceRecord& latest = is_plain_store(mine) ? written_ : other_;
        latest = std::max(latest, mine);
    }
    template <class Records>
    void expand(RecordPool<RaceWords>& pool) {
        if (words_ == nullptr) words_ = pool.take();
        const auto of_word = [](RaceRecord first, std::size_t lane) {
            return first == 0 ? 0 : Records::of_lane(first, lane);
        };
        const int written = std::countr_zero(written_words_),
                  other = std::countr_zero(other_words_);
        for (std::size_t i = 0; i < size; ++i) {
            words_->written[i] = of_word(written_, i >> written);
            words_->other[i] = of_word(other_, i >> other);
        }
        is_expanded_ = true;
    }

    RaceRecord written_ = 0,
               other_ = 0;        // of the first lane; expanded: the latest ones of all words
    RaceWords* words_ = nullptr;  // of the owner's pool; kept once they were needed
    std::uint8_t written_words_ = 1, other_words_ = 1;  // of a lane; powers of two
    bool is_expanded_ = false;
};

}  // namespace emulator
