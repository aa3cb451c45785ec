#include "emulator/models/hazards/global_races.hpp"

#include <algorithm>
#include <bit>

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
    known_.fill({});
    first_interval_ = 1;
}

RaceGroup& GlobalRaces::group_of(Address address) {
    const Address number = address / page_bytes;
    Known& known = known_[number % known_.size()];
    if (known.number != number) {
        auto& page = pages_[number];
        if (!page) page = std::make_unique<Page>();
        known = {number, page.get()};
    }
    return known.page->groups[address % page_bytes / group_bytes];
}

const GlobalRaces::Interval& GlobalRaces::interval_of(RaceRecord record) const {
    return intervals_[Records::interval(record) - first_interval_];
}

// Of the first lane.
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
    const RaceRecord oldest = Records::first_of(first_interval_);
    const bool is_plain_load = access.kind == AccessKind::load && !access.is_strong;
    if (!access.is_side_by_side && access.offsets[0] != access.offsets[warp_size - 1])
        prefetch(access);
    for_places(access, [&](unsigned lane, bool is_shared) {
        const Address begin = access.base + access.offsets[lane], end = begin + access.bytes;
        const RaceRecord mine =
            Records::of_lane(first, lane) | (is_shared ? race_flag::other_lanes : 0);
        for (Address word = begin / 4 * 4; word < end; word += 4) {
            const std::size_t number = word % group_bytes / 4;
            if (is_plain_load && group_of(word).is_read_by_many<Records>(number, oldest)) continue;
            const auto from = static_cast<unsigned>(std::max(begin, word) - word);
            const auto to = static_cast<unsigned>(std::min(end, word + 4) - word);
            const RaceRecord bytes = (1u << to) - (1u << from);
            note_word_of(order, access, mine | bytes << Records::bytes_shift, word);
        }
    });
}

// Records that lie far apart arrive side by side.
void GlobalRaces::prefetch(const WarpAccess& access) {
    std::array<const RaceGroup*, warp_size> groups{};
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
        if ((access.mask >> lane & 1) == 0) continue;
        groups[lane] = &group_of(access.base + access.offsets[lane]);
        __builtin_prefetch(groups[lane]);
    }
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
        if (groups[lane] != nullptr)
            groups[lane]->prefetch((access.base + access.offsets[lane]) % group_bytes / 4);
    }
}

void GlobalRaces::note_word_of(const BlockOrder& order, const WarpAccess& access, RaceRecord mine,
                               Address word) {
    const RaceRecord oldest = Records::first_of(first_interval_);
    auto& [written, other] = group_of(word).word<Records>(word % group_bytes / 4, mine, oldest);
    note_word<Records>(
        written, other, mine, oldest,
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
    // Of the thread's own record, the others are not known.
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
