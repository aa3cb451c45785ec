// Hazards in the shared memory of a block: accesses of two threads that no barrier orders, reads of words that
// nothing has written, asynchronous copies that are not waited for, barriers that not all threads reach.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "emulator/models/hazards/race_records.hpp"

namespace emulator {

// The shared memory of one block, from its first instruction to its last.
class SharedMemoryHazards {
  public:
    // 32 bytes for each 4-byte word of the block's shared memory; reused from block to block.
    // Where fences are not reported, each atomic or volatile store is taken to have one before it.
    void begin_block(std::size_t shared_bytes, bool sees_fences = true);

    // `is_volatile`: of the warp's own lanes these race like others, with volatile accesses of other warps they do not.
    void access(Accessor who, std::uint32_t offset, std::uint32_t bytes, AccessKind kind, Site site,
                bool is_volatile = false, const StoredValues* values = nullptr);
    void access(const WarpAccess& access);
    // All threads of the block, or some of them in a way that orders their accesses (named barrier,
    // mbarrier), have synchronised. Accesses before and after are ordered: a race between threads that did not
    // take part can go unseen, none is made up.
    void synchronise();
    // A thread has fenced its accesses; an atomic or volatile store behind it, and an atomic or volatile load behind
    // that, may be how threads wait for each other. Taken as such: accesses before and after are ordered.
    void fence() { fenced_ = true; }
    void release() { released_ |= fenced_ || !sees_fences_; }
    void acquire();

    // cp.async: a store that is made at any time until its thread has waited for it.
    void copy(Accessor who, std::uint32_t offset, std::uint32_t bytes, Site site);
    void commit_copies(std::uint16_t thread);
    // Waits until at most `groups` of the thread's committed groups are in flight.
    void wait_for_copies(Accessor who, std::uint32_t groups);
    void wait_for_all_copies(Accessor who);

    // `waiting` waits at the barrier `site`; `other` waits elsewhere or has finished (no_site).
    void divergent_barrier(Accessor waiting, Site site, std::uint16_t other, Site other_site);
    void end_block() { synchronise(); }

    // All since the last call; each pair of places once, however many threads met there.
    std::vector<Hazard> take_findings();

  private:
    using Records = RaceRecords<16>;
    // Part of an asynchronous copy.
    struct Piece {
        std::uint32_t word = 0, group = 0;
        std::uint8_t byte_mask = 0;
        Site site = no_site;
    };
    struct Copies {
        std::uint32_t committed = 0;  // groups
        std::vector<Piece> pieces;    // in flight
    };
    bool access_side_by_side(const WarpAccess& access, RaceRecord first);
    bool is_read_by_many(std::uint32_t word, RaceRecord oldest) const {
        return groups_[word / RaceGroup::size].is_read_by_many<Records>(word % RaceGroup::size,
                                                                        oldest) &&
               initialised_[word] == (generation_ << 4 | 15) && copied_.empty();
    }
    template <class Visit>
    static void for_words(std::uint32_t offset, std::uint32_t bytes, const Visit& visit);
    RaceRecord record_of(Accessor who, AccessKind kind, Site site, bool is_volatile) const;
    static bool conflicts(RaceRecord before, RaceRecord mine);
    RaceGroup::Pair& at(std::uint32_t word, RaceRecord mine);
    void access_word(std::uint32_t word, RaceRecord mine, bool reads, const StoredValues* values);
    void finish_copies(Accessor who, std::uint32_t first_group_on_its_way);
    void report(HazardKind kind, RaceRecord mine, std::uint32_t word, RaceRecord before);

    std::vector<RaceGroup> groups_;  // of words
    std::vector<std::uint32_t>
        initialised_;  // which of its bytes, by word, above the block's number
    std::unordered_map<std::uint32_t, RaceRecord> copied_;  // words of copies in flight
    std::uint32_t generation_ = 0;                          // of blocks
    std::uint32_t epoch_ = 1;  // how often threads have synchronised, in all blocks
    bool sees_fences_ = true, fenced_ = false, released_ = false;
    // Reads of words that were not written yet. If another thread writes them before the next barrier
    // the bug is that race, and has been reported as one; threads run in no particular order.
    struct EarlyRead {
        std::uint32_t word;
        std::uint8_t byte_mask;
        Hazard hazard;
    };
    std::vector<EarlyRead> early_reads_;
    std::vector<Copies> copies_;  // by thread
    std::map<HazardIdentity, Hazard> findings_;
};

}  // namespace emulator
