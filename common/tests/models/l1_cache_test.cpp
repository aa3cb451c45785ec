// The cache of one SM, from sequences of sectors.
#include "emulator/models/memory/l1_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

#include "emulator/models/memory/sector_set.hpp"

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

// What the cache has to do, as an obvious list: slow, and without a limit of any kind.
class ListedCache {
  public:
    ListedCache(std::size_t lines, bool whole_lines) : lines_(lines), whole_lines_(whole_lines) {}

    struct Loaded {
        std::size_t hit_sectors = 0, fetched_sectors = 0;
        std::vector<LineSectors> fetched;
    };
    Loaded load(std::span<const LineSectors> lines) {
        Loaded loaded;
        for (const LineSectors wanted : lines) {
            const unsigned known = take(wanted.line());
            const unsigned all = whole_lines_ ? 0xf : wanted.sectors();
            const LineSectors missing(wanted.line(), all & ~known);
            loaded.hit_sectors += LineSectors(0, wanted.sectors() & known).count();
            loaded.fetched_sectors += missing.count();
            if (missing.sectors() != 0) loaded.fetched.push_back(missing);
            newest_first_.push_front(LineSectors(wanted.line(), known | all));
            if (newest_first_.size() > lines_) newest_first_.pop_back();
        }
        return loaded;
    }
    void clear() { newest_first_.clear(); }

  private:
    unsigned take(Address line) {
        const auto found = std::ranges::find(newest_first_, line, &LineSectors::line);
        if (found == newest_first_.end()) return 0;
        const unsigned sectors = found->sectors();
        newest_first_.erase(found);
        return sectors;
    }

    std::size_t lines_;
    bool whole_lines_;
    std::deque<LineSectors> newest_first_;
};

struct Requests {
    std::size_t capacity_lines;
    bool whole_lines;
    Address lines, line_stride;  // that there are to load, and how far apart
    std::size_t max_lines;       // of a request
};

std::vector<LineSectors> random_request(const Requests& of, std::mt19937& random) {
    std::vector<Address> numbers(1 + random() % of.max_lines);
    // Half of the requests ask for few lines, which then hit.
    const Address span = random() % 2 == 0 ? of.lines : std::max<Address>(1, of.lines / 8);
    for (Address& number : numbers) number = random() % span;
    std::ranges::sort(numbers);
    numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
    std::vector<LineSectors> lines;
    for (const Address number : numbers)
        lines.push_back({number * of.line_stride * 128, 1 + static_cast<unsigned>(random() % 15)});
    return lines;
}

void expect_as_listed(const Requests& requests, std::uint32_t max_uses, int count = 3000) {
    std::mt19937 random(3);
    SectoredCache cache(requests.capacity_lines * 128, requests.whole_lines, max_uses);
    ListedCache listed(requests.capacity_lines, requests.whole_lines);
    for (int i = 0; i < count; ++i) {
        if (random() % 500 == 0) {
            cache.clear();
            listed.clear();
        }
        const std::vector<LineSectors> request = random_request(requests, random);
        const auto expected = listed.load(request);
        const auto found = cache.load(request);
        ASSERT_EQ(found.hit_sectors, expected.hit_sectors) << i;
        ASSERT_EQ(found.fetched_sectors, expected.fetched_sectors) << i;
        ASSERT_TRUE(std::ranges::equal(found.fetched, expected.fetched)) << i;
    }
}

TEST(SectoredCache, AgreesWithAList) {
    for (const std::size_t capacity : {0, 1, 2, 16, 31, 33, 100, 500}) {
        for (const bool whole_lines : {false, true}) {
            for (const std::size_t max_lines : {1, 4, 32, 64, 150}) {
                for (const Address lines : {capacity / 2 + 1, capacity + 1, capacity * 2 + 3}) {
                    SCOPED_TRACE(testing::Message()
                                 << capacity << " lines, whole " << whole_lines << ", requests of "
                                 << max_lines << ", of " << lines);
                    // Fewer requests of many lines fill a small cache.
                    const bool fills_soon = max_lines > 4 && capacity < 100;
                    expect_as_listed({capacity, whole_lines, lines, 1, max_lines},
                                     SectoredCache::usual_uses, fills_soon ? 600 : 3000);
                    if (HasFatalFailure()) return;
                }
            }
        }
    }
}

// Lines in one page of the device's memory, in many, and so far apart that groups of pages give way.
TEST(SectoredCache, LinesLieAnywhere) {
    for (const Address stride : {1, 511, 512, 1 << 19, (1 << 23) + 1})
        expect_as_listed({64, false, 150, stride, 32}, SectoredCache::usual_uses);
}

// After so few uses as a log has entries, again and again.
TEST(SectoredCache, UsesAreNumberedAgain) {
    for (const std::uint32_t max_uses : {1100, 1500, 4000})
        expect_as_listed({32, false, 80, 1, 32}, max_uses);
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

TEST(SectorSet, LinesOfARange) {
    emulator::SectorSet set;
    constexpr Address page = 1 << 20;  // what it keeps together
    for (const Address sector : {Address{0}, Address{96}, Address{128}, page - 32, page, 3 * page})
        set.insert(sector_at(sector));
    EXPECT_EQ(set.lines_between(0, 4 * page), 5u);
    EXPECT_EQ(set.lines_between(0, 128), 1u);
    EXPECT_EQ(set.lines_between(64, 129),
              2u);  // whole lines, as far as the range reaches into them
    EXPECT_EQ(set.lines_between(page - 128, page + 1), 2u);
    EXPECT_EQ(set.lines_between(2 * page, 3 * page), 0u);
}

}  // namespace
