// Which slice of an H200's L2 has a line, as the latencies that its SMs see show it, and how unevenly stores then lie.
#include "emulator/models/memory/slice_loads.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace emulator {
namespace {

constexpr unsigned slices = 94;
constexpr Address page_lines = 16384;  // of 2 MiB

Address number_of_line(Address line) { return SliceLoads::number_of(line * line_bytes); }

// Pages all over what a GPU has, also beyond the 128 MiB in which bits of the address change the order.
const std::vector<Address> pages{0, 1, 5, 63, 64, 1000, 40000, Address{1} << 26};

TEST(Slices, LinesThatDifferInBits0And2OnlyShareOne) {
    for (const Address page : pages) {
        for (Address line = page * page_lines; line < page * page_lines + 4096; line += 7) {
            for (const Address bits : {1, 4, 5})
                ASSERT_EQ(number_of_line(line), number_of_line(line ^ bits)) << line;
            // Neither of these alone: the two lie in slices of their own.
            for (const Address bit : {2, 8})
                ASSERT_NE(number_of_line(line) % slices, number_of_line(line ^ bit) % slices)
                    << line;
        }
    }
}

TEST(Slices, WhereInALineMakesNoDifference) {
    for (const Address line : {0, 3, 12345})
        EXPECT_EQ(SliceLoads::number_of(line * line_bytes + 127), number_of_line(line));
}

// 2048 = 94 * 21 + 74: of a page, 74 slices get 22 numbers of eight lines, and 20 get 21.
TEST(Slices, APageHas2048NumbersOfEightLinesEach) {
    for (const Address page : pages) {
        std::map<Address, unsigned> of_numbers, of_slices;
        for (Address line = page * page_lines; line < (page + 1) * page_lines; ++line) {
            ++of_numbers[number_of_line(line)];
            ++of_slices[number_of_line(line) % slices];
        }
        ASSERT_EQ(of_numbers.size(), 2048u);
        EXPECT_EQ(of_numbers.begin()->first, page * 2048);
        EXPECT_EQ(of_numbers.rbegin()->first, page * 2048 + 2047);
        for (const auto& [number, lines] : of_numbers) EXPECT_EQ(lines, 8u) << number;
        ASSERT_EQ(of_slices.size(), slices);
        unsigned fuller = 0;
        for (const auto& [slice, lines] : of_slices) {
            EXPECT_TRUE(lines == 168 || lines == 176) << lines;
            fuller += lines == 176;
        }
        EXPECT_EQ(fuller, 74u);
    }
}

// Stores of 32 lines each, one behind the other: `count` lines.
SliceLoads stores_of_range(Address count) {
    SliceLoads loads(slices);
    for (Address first = 0; first < count; first += 32) {
        std::vector<LineSectors> lines;
        for (Address line = first; line < first + 32; ++line)
            lines.emplace_back(line * line_bytes, 0xf);
        loads.at_block(first / 32, count / 32);
        loads.note(lines);
    }
    return loads;
}

TEST(SliceLoads, ARangeIsEven) {
    // Two pages at a time hold 43 or 44 numbers of each slice: at most 44 * 94 / 4096 = 1.0098.
    const double unevenness = stores_of_range(131072).unevenness(131072);
    EXPECT_GE(unevenness, 1);
    EXPECT_LT(unevenness, 1.01);
}

// A transpose's stores: 2048 rows of 2048 floats that begin `pitch` floats after one another. Blocks of 32 rows and
// eight columns, the next block below; each warp stores a column of its block.
double unevenness_of_columns(Address pitch) {
    constexpr Address rows = 2048, columns = 2048;
    constexpr Address blocks_down = rows / 32, blocks = blocks_down * columns / 8;
    SliceLoads loads(slices);
    for (Address block = 0; block < blocks; ++block) {
        loads.at_block(block, blocks);
        const Address first_row = block % blocks_down * 32, first_column = block / blocks_down * 8;
        for (Address column = first_column; column < first_column + 8; ++column) {
            std::vector<LineSectors> lines;
            for (Address row = first_row; row < first_row + 32; ++row) {
                const Address at = (row * pitch + column) * sizeof(float);
                const unsigned sector = 1u << at % line_bytes / sector_bytes;
                lines.emplace_back(at / line_bytes * line_bytes, sector);
            }
            loads.note(lines);
        }
    }
    return loads.unevenness(double{rows * columns * sizeof(float) / line_bytes});
}

TEST(SliceLoads, ColumnsOfAPowerOfTwoAreUneven) {
    const double of_8_kib = unevenness_of_columns(2048);
    EXPECT_GT(of_8_kib, 1.2);
    EXPECT_LT(of_8_kib, 1.35);
    EXPECT_GT(of_8_kib, 1.05 * unevenness_of_columns(2176));
}

// `count` lines of one slice.
std::vector<LineSectors> lines_of_a_slice(std::size_t count) {
    std::vector<LineSectors> lines;
    for (Address line = 0; lines.size() < count; ++line) {
        if (number_of_line(line) % slices == 7) lines.emplace_back(line * line_bytes, 0xf);
    }
    return lines;
}

TEST(SliceLoads, OneSliceThatHasAllGets94TimesTheMean) {
    SliceLoads loads(slices);
    loads.note(lines_of_a_slice(8));
    // However many windows there are: those without such stores say nothing, and the last one may be shorter.
    for (const double windows : {64., 3.7, 1.2, 1.})
        EXPECT_EQ(loads.unevenness(windows * SliceLoads::window_lines), 94) << windows;
    SliceLoads last(slices);
    last.at_block(63, 64);
    last.note(lines_of_a_slice(8));
    EXPECT_EQ(last.unevenness(1.2 * SliceLoads::window_lines), 94);
}

TEST(SliceLoads, WhereSlicesAreNotKnownAllIsEven) {
    SliceLoads loads(1);
    loads.at_block(0, 1);
    loads.note(lines_of_a_slice(32));
    EXPECT_EQ(loads.unevenness(32), 1);
    SliceLoads other(1);
    other.merge(loads);
    EXPECT_EQ(other.unevenness(32), 1);
}

TEST(SliceLoads, StoresIntoFewLinesDoNotCount) {
    SliceLoads loads(slices);
    EXPECT_EQ(loads.unevenness(7), 1);
    loads.note(lines_of_a_slice(SliceLoads::min_lines - 1));
    EXPECT_EQ(loads.unevenness(7), 1);
    loads.note(lines_of_a_slice(SliceLoads::min_lines));
    EXPECT_EQ(loads.unevenness(8), 94);
}

// What two workers have counted, of halves of the grid and of the same blocks.
TEST(SliceLoads, MergeAdds) {
    const std::vector<LineSectors> same = lines_of_a_slice(8);
    std::vector<LineSectors> others;  // of the next slice
    for (Address line = 0; others.size() < 24; ++line) {
        if (number_of_line(line) % slices == 8) others.emplace_back(line * line_bytes, 0xf);
    }
    SliceLoads one(slices), two(slices);
    one.note(same);
    two.note(others);
    one.merge(two);
    EXPECT_EQ(one.unevenness(32), 94 * 24. / 32);
    two.at_block(1, 2);
    two.note(same);
    one.merge(two);  // 16 and 48: what two has, again
    EXPECT_EQ(one.unevenness(64), 94 * 48. / 64);
}

// Slices that are even over all, but not in any part of the grid, are uneven where much is written.
TEST(SliceLoads, AreWhatAWindowOfBlocksStores) {
    SliceLoads loads(slices);
    for (unsigned block = 0; block < 64; ++block) {
        std::vector<LineSectors> lines;
        for (Address line = 0; lines.size() < 8; ++line) {
            if (number_of_line(line) % slices == block) lines.emplace_back(line * line_bytes, 0xf);
        }
        loads.at_block(block, 64);
        loads.note(lines);
    }
    EXPECT_DOUBLE_EQ(loads.unevenness(512), 94. / 64);
    // Each of the 64 parts is a window; then two of them are.
    EXPECT_EQ(loads.unevenness(64 * SliceLoads::window_lines), 94);
    EXPECT_EQ(loads.unevenness(32 * SliceLoads::window_lines), 47);
}

}  // namespace
}  // namespace emulator
