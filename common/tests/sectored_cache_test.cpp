// The cache of one SM, from sequences of sectors.
#include "emulator/models/sectored_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include "emulator/models/sector_set.hpp"

namespace {

using emulator::Address;
using emulator::LineSectors;
using emulator::SectoredCache;

LineSectors sector_at(Address address) { return {address / 128 * 128, 1u << (address / 32 % 4)}; }

bool hits(SectoredCache& cache, Address sector) {
    return cache.load({{sector_at(sector)}}).hit_sectors == 1;
}

TEST(SectoredCache, ASectorHitsAfterItsFirstLoad) {
    SectoredCache cache(1024, false);
    EXPECT_FALSE(hits(cache, 0));
    EXPECT_TRUE(hits(cache, 0));
    EXPECT_FALSE(hits(cache, 32));  // same line, another sector
    EXPECT_TRUE(hits(cache, 32));
}

TEST(SectoredCache, WholeLinesBringTheirNeighbours) {
    SectoredCache cache(1024, true);
    EXPECT_FALSE(hits(cache, 96));
    EXPECT_TRUE(hits(cache, 0));
    EXPECT_TRUE(hits(cache, 64));
    EXPECT_FALSE(hits(cache, 128));
}

// Of a Fermi line one sector is asked for, then all: four are fetched once, and the others hit.
TEST(SectoredCache, AWholeLineIsFetchedOnce) {
    SectoredCache cache(1024, true);
    const auto first = cache.load({{LineSectors(0, 0x2)}});
    EXPECT_EQ(first.fetched_sectors, 4u);
    const auto all = cache.load({{LineSectors(0, 0xf)}});
    EXPECT_EQ(all.hit_sectors, 4u);
    EXPECT_EQ(all.fetched_sectors, 0u);
}

// By sectors: the three that are not there yet.
TEST(SectoredCache, APartlyPresentLineFetchesWhatItLacks) {
    SectoredCache cache(1024, false);
    hits(cache, 32);
    const auto all = cache.load({{LineSectors(0, 0xf)}});
    EXPECT_EQ(all.hit_sectors, 1u);
    EXPECT_EQ(all.fetched_sectors, 3u);
}

// A request for all of a line that is not there misses with every sector, and fetches four.
TEST(SectoredCache, SectorsOfOneRequestDoNotHitEachOther) {
    SectoredCache cache(1024, true);
    const LineSectors request[] = {{0, 0xf}, {128, 0x1}};
    const auto first = cache.load(request);
    EXPECT_EQ(first.hit_sectors, 0u);
    EXPECT_EQ(first.fetched_sectors, 8u);  // two whole lines
    const auto again = cache.load(request);
    EXPECT_EQ(again.hit_sectors, 5u);
    EXPECT_EQ(again.fetched_sectors, 0u);
    EXPECT_TRUE(again.fetched.empty());
}

TEST(SectoredCache, TheLeastRecentlyUsedLineGoes) {
    SectoredCache cache(2 * 128, false);
    hits(cache, 0);
    hits(cache, 128);
    hits(cache, 0);    // now 128 is the older one
    hits(cache, 256);  // evicts it
    EXPECT_TRUE(hits(cache, 0));
    EXPECT_FALSE(hits(cache, 128));
}

TEST(SectoredCache, NothingIsLeftAfterClear) {
    SectoredCache cache(1024, false);
    hits(cache, 0);
    cache.clear();
    EXPECT_FALSE(hits(cache, 0));
}

TEST(SectoredCache, NoBytesNeverHit) {
    SectoredCache cache(0, false);
    hits(cache, 0);
    EXPECT_FALSE(hits(cache, 0));
}

// Read cyclically: three quarters of the capacity hit in every pass after the first; five quarters
// never, since the next sector wanted is always the one that has just been evicted.
TEST(SectoredCache, CyclicReadsFitOrThrash) {
    constexpr std::size_t capacity = 248 * 1024;
    const auto hits_in_later_passes = [](std::size_t bytes) {
        SectoredCache cache(capacity, false);
        std::size_t found = 0;
        for (int pass = 0; pass < 4; ++pass) {
            for (Address at = 0; at < bytes; at += 32) found += hits(cache, at) && pass > 0;
        }
        return static_cast<double>(found) / static_cast<double>(3 * bytes / 32);
    };
    EXPECT_EQ(hits_in_later_passes(capacity * 3 / 4), 1.0);
    EXPECT_EQ(hits_in_later_passes(capacity * 5 / 4), 0.0);
}

// Random loads against an obvious list.
TEST(SectoredCache, AgreesWithAList) {
    std::mt19937 random(3);
    SectoredCache cache(16 * 128, false);
    std::deque<Address> order;  // newest first
    std::map<Address, unsigned> present;
    for (int i = 0; i < 20000; ++i) {
        const Address sector = random() % (24 * 4) * 32;
        const Address line = sector / 128;
        const unsigned bit = 1u << (sector / 32 % 4);
        const auto found = std::find(order.begin(), order.end(), line);
        bool expected = false;
        if (found != order.end()) {
            expected = (present[line] & bit) != 0;
            order.erase(found);
        } else if (order.size() == 16) {
            present.erase(order.back());
            order.pop_back();
        }
        order.push_front(line);
        present[line] |= bit;
        ASSERT_EQ(hits(cache, sector), expected) << i;
    }
}

TEST(SectorSet, CountsSectorsAndGranulesOnce) {
    emulator::SectorSet set;
    for (const int sector : {0, 32, 96, 0, 1 << 20, (1 << 20) + 32}) {
        set.insert(sector_at(static_cast<Address>(sector)));
    }
    EXPECT_EQ(set.sectors(), 5u);
    EXPECT_EQ(set.granules(), 3u);  // 0-63, 64-127, and the one in the next MiB
    emulator::SectorSet other;
    other.insert(sector_at(64));
    other.insert(sector_at(1 << 25));
    set.merge(other);
    EXPECT_EQ(set.sectors(), 7u);
    EXPECT_EQ(set.granules(), 4u);
}

}  // namespace
