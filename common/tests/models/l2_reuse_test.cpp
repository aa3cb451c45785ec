// What an L2 in which the oldest line makes room has to read again.
#include "emulator/models/memory/l2_reuse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace emulator {
namespace {

using Reread = L2Reuse::Reread;

constexpr unsigned first_sector = 1, second_sector = 2, third_sector = 4, whole = 0xf;

LineSectors line(Address number, unsigned sectors = whole) {
    return LineSectors(number * line_bytes, sectors);
}

void read(L2Reuse& l2, std::vector<LineSectors> lines) { l2.read(lines); }
void write(L2Reuse& l2, std::vector<LineSectors> lines) { l2.write(lines); }

constexpr double two_lines = 2 * line_bytes;

TEST(L2Reuse, TheOldestLineMakesRoomHoweverOftenItIsRead) {
    L2Reuse l2(1);
    for (const Address number : {0, 1, 0, 2, 0}) read(l2, {line(number)});
    EXPECT_EQ(l2.reread(two_lines), (Reread{2, 4}));  // line 0, of two granules
    EXPECT_EQ(l2.reread(3 * line_bytes), (Reread{0, 0}));
}

// 0 goes out for 2, 1 for 0, 2 for 1.
TEST(L2Reuse, ALineThatComesAgainIsTheNewest) {
    L2Reuse l2(1);
    for (const Address number : {0, 1, 2, 0, 2, 1}) read(l2, {line(number, first_sector)});
    EXPECT_EQ(l2.reread(two_lines), (Reread{2, 2}));
}

TEST(L2Reuse, AMissFetchesTheGranulesThatAreAskedFor) {
    L2Reuse l2(1);
    for (const Address number : {0, 1, 2}) read(l2, {line(number, first_sector)});
    // Sector 1 is new to the launch and sector 0 comes with it: one granule was read before, no sector.
    read(l2, {line(0, second_sector)});
    read(l2, {line(0, first_sector)});
    read(l2, {line(0, third_sector)});
    EXPECT_EQ(l2.reread(two_lines), (Reread{1, 0}));
}

TEST(L2Reuse, WrittenLinesTakePlacesAndAreFound) {
    L2Reuse l2(1);
    read(l2, {line(0)});
    for (const Address number : {1, 2}) write(l2, {line(number)});
    EXPECT_EQ(l2.reread(two_lines), Reread{});
    read(l2, {line(1), line(2)});
    EXPECT_EQ(l2.reread(two_lines), Reread{});
    read(l2, {line(0)});
    EXPECT_EQ(l2.reread(two_lines), (Reread{2, 4}));
}

TEST(L2Reuse, NothingIsNotedUnlessAskedFor) {
    L2Reuse l2(0);
    for (const Address number : {0, 1, 2, 0}) read(l2, {line(number)});
    EXPECT_EQ(l2.reread(two_lines), Reread{});
}

// Each block reads ten lines, the same ones. Abreast they share them; one after another, none is left.
TEST(L2Reuse, ResidentBlocksRunAbreast) {
    for (const std::uint64_t resident : {1, 2, 4}) {
        L2Reuse l2(resident);
        for (std::uint64_t block = 0; block < 4; ++block) {
            l2.at_block(block);
            for (Address number = 0; number < 10; ++number) read(l2, {line(number)});
        }
        const std::uint64_t again = 4 / resident - 1;
        EXPECT_EQ(l2.reread(two_lines), (Reread{20 * again, 40 * again}));
    }
}

struct Words {
    std::uint64_t blocks = 1024, each = 1024, lines = 0;
};

// Words anywhere, noted by so many workers, which are merged in an order of their own.
L2Reuse words_anywhere(const Words& words, std::uint64_t workers, std::size_t max_notes) {
    constexpr std::uint64_t resident = 64;
    std::vector<L2Reuse> of_workers(workers, L2Reuse(resident, max_notes));
    for (std::uint64_t block = 0; block < words.blocks; ++block) {
        L2Reuse& l2 = of_workers[block % workers];
        l2.at_block(block);
        std::mt19937_64 random(block);
        for (std::uint64_t i = 0; i < words.each; ++i) {
            const std::uint64_t sector = random() % (4 * words.lines);
            read(l2, {line(sector / 4, 1u << sector % 4)});
        }
    }
    std::shuffle(of_workers.begin(), of_workers.end(), std::mt19937_64(workers));
    L2Reuse all(resident, max_notes);
    for (const L2Reuse& each : of_workers) all.merge(each);
    return all;
}

TEST(L2Reuse, DoesNotDependOnTheNumberOfWorkers) {
    const Words words{.blocks = 200, .each = 100, .lines = 1000};
    constexpr double kept_bytes = 500 * line_bytes;
    for (const std::size_t max_notes : {100'000, 5000, 300}) {
        const Reread one = words_anywhere(words, 1, max_notes).reread(kept_bytes);
        EXPECT_GT(one.granules, 0u);
        for (const std::uint64_t workers : {2, 3, 7, 200})
            EXPECT_EQ(words_anywhere(words, workers, max_notes).reread(kept_bytes), one);
    }
}

// As many times fewer lines and words as an H200 has been asked for: 16.8 million from 64 to 512 MiB, of which 40 MiB
// stay. DRAM read 645.8, 885.3, 985.6 and 1030.8 MB (data/timing/reuse.csv).
TEST(L2Reuse, WordsAnywhereAreReadAgainAsOftenAsOnAnH200) {
    constexpr double fewer = 16;
    const std::vector<std::pair<double, double>> measured{
        {64, 645.8e6}, {128, 885.3e6}, {256, 985.6e6}, {512, 1030.8e6}};
    for (const auto& [mib, bytes] : measured) {
        const auto lines = static_cast<std::uint64_t>(mib * (1 << 20) / line_bytes / fewer);
        L2Reuse l2 = words_anywhere({.lines = lines}, 2, 1 << 16);
        const double kept_bytes = 40.0 * (1 << 20) / fewer;
        const double first = 2 * static_cast<double>(lines) *
                             (1 - std::exp(-1024.0 * 1024 / 2 / static_cast<double>(lines)));
        const double granules = first + static_cast<double>(l2.reread(kept_bytes).granules);
        EXPECT_NEAR(granules * L2Reuse::granule_bytes * fewer / bytes, 1, 0.05) << mib;
    }
}

}  // namespace
}  // namespace emulator
