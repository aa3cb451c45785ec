// Races in global memory within a launch: two threads access the same bytes, one of them writes, not both of them by atomic or
// volatile accesses, and nothing orders the two: no barrier of their block, no synchronisation of their warp, and between
// blocks no release (a fence, then an atomic or volatile store) that the other block has met by an acquire (an atomic
// or volatile load) since.
//
// Pure bookkeeping over (block, thread, address, instruction). What orders is taken generously: a fence or a polling load of
// one thread counts for its block. A race can go unseen, none is made up.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/models/hazards/race_records.hpp"

namespace emulator {

constexpr std::size_t max_warps = 32;  // of a block

// A block of the launch as its accesses are made.
struct BlockOrder {
    std::uint64_t block = 0;
    std::uint32_t barriers = 0;  // of the block so far
    std::uint32_t interval = 0;  // 0: the next access begins one
    std::uint32_t fenced = 0;    // accesses in intervals before this one lie before a fence
    std::array<std::uint32_t, max_warps> epochs{};  // of warps, in sixteens
};

struct GlobalRace {
    HazardKind kind{};
    std::uint16_t thread = 0, other_thread = 0;  // no_thread: others than this one
    std::uint64_t other_block = 0;
    Site site = no_site, other_site = no_site;
    Address address = 0;
};

class GlobalRaces {
  public:
    void begin_launch();

    void access(BlockOrder& order, const WarpAccess& access);
    void barrier(BlockOrder& order) {
        ++order.barriers;
        order.interval = 0;
    }
    void fence(BlockOrder& order);
    // Others may wait for it: an atomic, or a volatile store.
    void release(const BlockOrder& order);
    // It may have waited for others: an atomic, or a volatile load.
    void acquire(BlockOrder& order);

    bool has_findings() const { return !findings_.empty(); }
    // All since the last call; each pair of places once.
    std::vector<GlobalRace> take_findings();

  private:
    using Records = RaceRecords<28>;
    static constexpr std::size_t page_bytes = 4096, group_bytes = 4 * RaceGroup::size;
    struct Page {
        std::array<RaceGroup, page_bytes / group_bytes> groups;
    };
    struct Interval {
        std::uint64_t block;
        std::uint32_t barriers;
    };
    // A block's intervals before the first one are released; it has acquired what was released before the second one.
    struct Order {
        std::uint32_t released = 0, acquired = 0;
    };

    // A lane's access; it is aligned, and so lies in one group.
    struct Place {
        RaceGroup* group;
        Address begin;
        RaceRecord mine;  // without bytes
    };

    RaceGroup& group_of(Address address) {
        const Address number = address / page_bytes;
        const Known& known = known_[number % known_.size()];
        Page& page = known.number == number ? *known.page : find_page(number);
        return page.groups[address % page_bytes / group_bytes];
    }
    Page& find_page(Address number);
    RaceRecord record_of(BlockOrder& order, const WarpAccess& access);
    bool note_whole_warp(const BlockOrder& order, const WarpAccess& access, RaceRecord mine);
    std::uint32_t note_runs(const WarpAccess& access, RaceRecord mine);
    void note_lanes(const BlockOrder& order, const WarpAccess& access, std::uint32_t lanes,
                    RaceRecord mine);
    void note_parts(const BlockOrder& order, const WarpAccess& access, const Place& place);
    void note_word_of(const BlockOrder& order, const WarpAccess& access, RaceRecord mine,
                      Address word, RaceGroup& group) {
        const std::size_t number = word % group_bytes / 4;
        const RaceRecord oldest = Records::first_of(first_interval_);
        const bool is_plain_load = (mine & (race_flag::changes | race_flag::strong)) == 0;
        if (is_plain_load && group.is_read_by_many<Records>(number, oldest)) return;
        if (!group.note_own<Records>(number, mine, oldest, words_))
            compare_word(order, access, mine, word, group);
    }
    void compare_word(const BlockOrder& order, const WarpAccess& access, RaceRecord mine,
                      Address word, RaceGroup& group);
    bool conflicts(const BlockOrder& order, RaceRecord before, RaceRecord mine) const;
    bool is_released(const BlockOrder& order, RaceRecord before) const;
    void report(HazardKind kind, const WarpAccess& access, RaceRecord before, RaceRecord mine,
                Address address);
    const Interval& interval_of(RaceRecord record) const;

    RecordPool<RaceWords> words_{large_page_bytes};
    RecordPool<Page> page_memory_{large_page_bytes};
    std::unordered_map<Address, Page*> pages_;
    // Those that were looked up last.
    struct Known {
        Address number = ~Address{0};
        Page* page = nullptr;
    };
    std::array<Known, 4096> known_;
    std::vector<Interval> intervals_;   // of the launch
    std::uint32_t first_interval_ = 1;  // of the launch
    std::unordered_map<std::uint64_t, Order> orders_;
    std::map<HazardIdentity, GlobalRace> findings_;
};

}  // namespace emulator
