#include "emulator/models/hazards/global_races.hpp"

#include <new>
#include <span>

namespace emulator {
namespace {

// Pages are kept from launch to launch, as long as there are no more than these.
constexpr std::size_t max_pages = std::size_t{1} << 16;

}  // namespace

void GlobalRaces::begin_launch() {
    first_interval_ += static_cast<std::uint32_t>(intervals_.size());
    intervals_.clear();
    orders_.clear();
    if (pages_.size() < max_pages && first_interval_ < Records::max_interval / 2) return;
    pages_.clear();
    words_ = RecordPool<RaceWords>(large_page_bytes);
    page_memory_ = RecordPool<Page>(large_page_bytes);
    known_.fill({});
    first_interval_ = 1;
}

GlobalRaces::Page& GlobalRaces::find_page(Address number) {
    Page*& page = pages_[number];
    if (page == nullptr) page = new (page_memory_.take()) Page;
    known_[number % known_.size()] = {number, page};
    return *page;
}

const GlobalRaces::Interval& GlobalRaces::interval_of(RaceRecord record) const {
    return intervals_[Records::interval(record) - first_interval_];
}

// The record of the first lane.
RaceRecord GlobalRaces::record_of(BlockOrder& order, const WarpAccess& access) {
    // Epochs of warps are kept in four bits: in an interval the others do not change.
    std::uint32_t& epochs = order.epochs[access.first_thread / warp_size];
    if (order.interval == 0 || epochs != access.warp_epoch / 16) {
        epochs = access.warp_epoch / 16;
        order.interval = first_interval_ + static_cast<std::uint32_t>(intervals_.size());
        intervals_.push_back({order.block, order.barriers});
    }
    const RaceRecord flags = (access.is_strong ? race_flag::strong : 0) |
                             (access.kind == AccessKind::atomic ? race_flag::atomic : 0) |
                             (access.kind != AccessKind::load ? race_flag::changes : 0);
    return Records::make(order.interval, access.warp_epoch, access.first_thread, access.site,
                         flags);
}

void GlobalRaces::access(BlockOrder& order, const WarpAccess& access) {
    if (first_interval_ + intervals_.size() >= Records::max_interval) return;
    const RaceRecord first = record_of(order, access);
    if (access.is_side_by_side && note_whole_warp(order, access, first)) return;
    const std::uint32_t rest = note_runs(access, first);
    if (rest != 0) note_lanes(order, access, rest, first);
}

// Rows of tiles: eight lanes each access words side by side. Returns the lanes that have to be noted one by one.
std::uint32_t GlobalRaces::note_runs(const WarpAccess& access, RaceRecord mine) {
    constexpr std::size_t lanes = RaceGroup::run;
    constexpr std::uint32_t all = 0xffffffffu, of_run = (1u << lanes) - 1;
    if (access.mask != all || access.bytes != 4 || access.is_strong || access.is_uniform)
        return access.mask;
    std::uint32_t differences = 0;
    for (std::size_t first = 0; first < warp_size; first += lanes) {
        const std::uint32_t begin = access.offsets[first];
        differences |= static_cast<std::uint32_t>(access.base + begin) % (4 * lanes);
        for (std::uint32_t i = 0; i < lanes; ++i)
            differences |= access.offsets[first + i] - begin ^ 4 * i;
    }
    if (differences != 0) return access.mask;
    const RaceRecord oldest = Records::first_of(first_interval_);
    std::uint32_t rest = 0;
    for (std::size_t lane = 0; lane < warp_size; lane += lanes) {
        const Address begin = access.base + access.offsets[lane];
        const RaceRecord first = Records::of_lane(mine, lane) | Records::bytes_mask;
        if (!group_of(begin).note_run<Records>(begin % group_bytes / 4, first, oldest, words_))
            rest |= of_run << lane;
    }
    return rest;
}

void GlobalRaces::note_lanes(const BlockOrder& order, const WarpAccess& access, std::uint32_t lanes,
                             RaceRecord mine) {
    // Records that lie far apart arrive side by side: first the groups, then their words.
    std::array<Place, warp_size> places;
    std::size_t count = 0;
    for_places(access, lanes, [&](unsigned lane, bool is_shared) {
        const Address begin = access.base + access.offsets[lane];
        RaceGroup& group = group_of(begin);
        __builtin_prefetch(&group);
        places[count++] = {&group, begin,
                           Records::of_lane(mine, lane) | (is_shared ? race_flag::other_lanes : 0)};
    });
    const std::span<const Place> all(places.data(), count);
    for (const Place& place : all)
        place.group->prefetch(place.begin % group_bytes / 4, access.kind);
    if (access.bytes != 4) {
        for (const Place& place : all) note_parts(order, access, place);
        return;
    }
    for (const Place& place : all)
        note_word_of(order, access, place.mine | Records::bytes_mask, place.begin, *place.group);
}

// An access of any size.
void GlobalRaces::note_parts(const BlockOrder& order, const WarpAccess& access,
                             const Place& place) {
    const auto in_word = static_cast<unsigned>(place.begin % 4);
    const RaceRecord bytes = access.bytes < 4 ? ((1u << access.bytes) - 1) << in_word : 15;
    const RaceRecord mine = place.mine | bytes << Records::bytes_shift;
    for (Address word = place.begin - in_word; word < place.begin + access.bytes; word += 4)
        note_word_of(order, access, mine, word, *place.group);
}

void GlobalRaces::compare_word(const BlockOrder& order, const WarpAccess& access, RaceRecord mine,
                               Address word, RaceGroup& group) {
    const auto [written, other] = group.word<Records>(word % group_bytes / 4, mine, words_);
    note_word<Records>(
        written, other, mine, Records::first_of(first_interval_),
        [&](RaceRecord before, RaceRecord now) { return conflicts(order, before, now); },
        [&](RaceRecord before) {
            const bool is_near = Records::interval(before) == Records::interval(mine);
            return access.values != nullptr &&
                   access.values->is_same(Records::thread(mine),
                                          is_near ? Records::thread(before) : no_thread);
        },
        [&](HazardKind kind, RaceRecord before) { report(kind, access, before, mine, word); });
}

// False where it has to be noted word by word. A group may be noted again then.
bool GlobalRaces::note_whole_warp(const BlockOrder& order, const WarpAccess& access,
                                  RaceRecord mine) {
    const Address begin = access.base + access.offsets[0];
    if (access.mask != 0xffffffffu || begin % group_bytes != 0 || access.bytes % 4 != 0)
        return false;
    const auto words_of_lane = static_cast<std::uint8_t>(access.bytes / 4);
    const std::size_t lanes_of_group = warp_size / words_of_lane;
    const RaceRecord oldest = Records::first_of(first_interval_);
    for (std::size_t group = 0; group < words_of_lane; ++group) {
        const bool is_noted =
            group_of(begin + group * group_bytes)
                .note<Records>(Records::of_lane(mine, group * lanes_of_group), words_of_lane,
                               oldest, [&](RaceRecord before, RaceRecord now) {
                                   return conflicts(order, before, now);
                               });
        if (!is_noted) return false;
    }
    return true;
}

bool GlobalRaces::conflicts(const BlockOrder& order, RaceRecord before, RaceRecord mine) const {
    using namespace race_flag;
    if ((before & strong) != 0 && (mine & strong) != 0) return false;
    const Interval& then = interval_of(before);
    if (then.block == order.block) {
        if (then.barriers != order.barriers) return false;
        const bool same_warp = Records::warp(before) == Records::warp(mine);
        const bool same_time = Records::interval(before) == Records::interval(mine) &&
                               Records::epoch(before) == Records::epoch(mine);
        const bool others =
            Records::thread(before) != Records::thread(mine) || (before & other_lanes) != 0;
        if (same_warp && (before & other_warps) == 0 && !(same_time && others)) return false;
    }
    return !is_released(order, before);
}

bool GlobalRaces::is_released(const BlockOrder& order, RaceRecord before) const {
    if (orders_.empty()) return false;
    const auto its = orders_.find(interval_of(before).block), mine = orders_.find(order.block);
    return its != orders_.end() && mine != orders_.end() &&
           Records::interval(before) < its->second.released &&
           Records::interval(before) < mine->second.acquired;
}

void GlobalRaces::fence(BlockOrder& order) {
    order.fenced = first_interval_ + static_cast<std::uint32_t>(intervals_.size());
    order.interval = 0;
}

void GlobalRaces::release(const BlockOrder& order) {
    if (order.fenced != 0) orders_[order.block].released = order.fenced;
}

void GlobalRaces::acquire(BlockOrder& order) {
    orders_[order.block].acquired = first_interval_ + static_cast<std::uint32_t>(intervals_.size());
    order.interval = 0;
}

void GlobalRaces::report(HazardKind kind, const WarpAccess& access, RaceRecord before,
                         RaceRecord mine, Address address) {
    const Site other_site = Records::site(before);
    const std::uint64_t block = interval_of(mine).block, other_block = interval_of(before).block;
    // The others of the thread's own record are not known.
    const bool is_known = block != other_block || Records::warp(before) != Records::warp(mine) ||
                          (before & race_flag::other_warps) == 0;
    const bool is_own = block == other_block && Records::thread(before) == Records::thread(mine);
    findings_.try_emplace(identity({kind, 0, 0, access.site, other_site, 0}),
                          GlobalRace{kind, Records::thread(mine),
                                     is_known && !is_own ? Records::thread(before) : no_thread,
                                     other_block, access.site, other_site, address});
}

std::vector<GlobalRace> GlobalRaces::take_findings() {
    std::vector<GlobalRace> result;
    result.reserve(findings_.size());
    for (const auto& [key, race] : findings_) result.push_back(race);
    findings_.clear();
    return result;
}

}  // namespace emulator
