// The coalescing rule, from address lists alone: against counts derived by hand, counts that others
// have published, and an obvious oracle on random requests.
#include "emulator/models/memory/coalescing.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <random>
#include <set>

namespace {

using emulator::Address;
using emulator::Transactions;

constexpr std::uint32_t all_lanes = 0xffffffffu;

Transactions cost(std::uint32_t bytes, const std::function<Address(int lane)>& address,
                  std::uint32_t mask = all_lanes) {
    std::array<Address, 32> addresses;
    for (int lane = 0; lane < 32; ++lane) addresses[lane] = 0x10000 + address(lane);
    return emulator::coalesce({addresses, mask, bytes});
}

double percent(std::uint32_t part, std::uint32_t whole) { return 100.0 * part / whole; }

// The book's figures: 32 floats at offset 0, 11 and 128. Bytes 0...127, 44...171 and 512...639.
TEST(Coalescing, OffsetsOfTheSource) {
    const auto at = [](int offset) { return cost(4, [=](int i) { return 4u * (i + offset); }); };
    EXPECT_EQ(at(0).sectors, 4u);
    EXPECT_EQ(at(0).lines, 1u);
    EXPECT_EQ(at(11).sectors, 5u);
    EXPECT_EQ(at(11).lines, 2u);
    EXPECT_EQ(at(128).sectors, 4u);
    EXPECT_EQ(at(128).lines, 1u);
    EXPECT_DOUBLE_EQ(percent(at(11).distinct_bytes, 32 * at(11).sectors), 80);
    EXPECT_DOUBLE_EQ(percent(at(11).distinct_bytes, 128 * at(11).lines), 50);
}

// Published for an RTX 3080 (one warp of the same kernel): offset 0: 4 sectors, 1: 5, 8: 4.
TEST(Coalescing, PublishedSectorsOfAnRtx3080) {
    const auto at = [](int offset) { return cost(4, [=](int i) { return 4u * (i + offset); }); };
    EXPECT_EQ(at(0).sectors, 4u);
    EXPECT_EQ(at(1).sectors, 5u);
    EXPECT_EQ(at(8).sectors, 4u);
}

// Stride s of floats: 8 / s lanes a sector up to s = 8, one beyond; lines likewise with 32 / s.
// Stride 3: the last byte is 31 x 12 + 3 = 375, and no sector of 0...11 is jumped over.
TEST(Coalescing, Strides) {
    const auto stride = [](int s) { return cost(4, [=](int i) { return 4u * i * s; }); };
    EXPECT_EQ(stride(2).sectors, 8u);
    EXPECT_EQ(stride(2).lines, 2u);
    EXPECT_EQ(stride(3).sectors, 12u);
    EXPECT_EQ(stride(3).lines, 3u);
    EXPECT_EQ(stride(8).sectors, 32u);
    EXPECT_EQ(stride(8).lines, 8u);
    EXPECT_EQ(stride(32).sectors, 32u);
    EXPECT_EQ(stride(32).lines, 32u);
}

TEST(Coalescing, OrderDoesNotMatter) {
    const auto reversed = cost(4, [](int i) { return 4u * (31 - i); });
    EXPECT_EQ(reversed.sectors, 4u);
    EXPECT_EQ(reversed.distinct_bytes, 128u);
    const auto permuted = cost(4, [](int i) { return 4u * ((i * 7) % 32); });
    EXPECT_EQ(permuted.sectors, 4u);
    EXPECT_EQ(permuted.lines, 1u);
}

// One word for all: 4 of 32 bytes are used (12.5 %), of a line 3.125 %: the book's figures.
TEST(Coalescing, Broadcast) {
    const auto broadcast = cost(4, [](int) { return 40u; });
    EXPECT_EQ(broadcast.sectors, 1u);
    EXPECT_DOUBLE_EQ(percent(broadcast.distinct_bytes, 32 * broadcast.sectors), 12.5);
    EXPECT_DOUBLE_EQ(percent(broadcast.distinct_bytes, 128 * broadcast.lines), 3.125);
    EXPECT_EQ(broadcast.lane_bytes, 128u);
}

TEST(Coalescing, ElementSizes) {
    const auto contiguous = [](std::uint32_t bytes, Address offset) {
        return cost(bytes, [=](int i) { return bytes * Address(i) + offset; });
    };
    EXPECT_EQ(contiguous(1, 0).sectors, 1u);   // 32 bytes
    EXPECT_EQ(contiguous(1, 11).sectors, 2u);  // bytes 11...42
    EXPECT_EQ(contiguous(2, 0).sectors, 2u);
    EXPECT_EQ(contiguous(2, 22).sectors, 3u);  // bytes 22...85
    EXPECT_EQ(contiguous(8, 0).sectors, 8u);
    EXPECT_EQ(contiguous(8, 88).sectors, 9u);  // bytes 88...343: sectors 2...10
    EXPECT_EQ(contiguous(16, 0).sectors, 16u);
    EXPECT_EQ(contiguous(16, 0).lines, 4u);
    EXPECT_EQ(contiguous(16, 16).sectors, 17u);
}

TEST(Coalescing, InactiveLanesCostNothing) {
    const auto odd = cost(4, [](int i) { return 4u * i; }, 0xaaaaaaaau);
    EXPECT_EQ(odd.sectors, 4u);
    EXPECT_EQ(odd.distinct_bytes, 64u);
    const auto eight = cost(4, [](int i) { return 4u * i; }, 0x000000ffu);
    EXPECT_EQ(eight.sectors, 1u);
    // The address of an inactive lane may be anything.
    const auto wild = cost(4, [](int i) { return i < 8 ? 4u * i : 1u << 30; }, 0x000000ffu);
    EXPECT_EQ(wild.sectors, 1u);
}

// A 12-byte structure's member: lanes 12 bytes apart, as stride 3.
TEST(Coalescing, MembersOfStructures) {
    EXPECT_EQ(cost(4, [](int i) { return 12u * i + 8; }).sectors, 12u);
    // 20 bytes apart: the last byte is 31 x 20 + 3 = 623, all 20 sectors of it are touched, since
    // 20 < 32.
    EXPECT_EQ(cost(4, [](int i) { return 20u * i; }).sectors, 20u);
}

// Blocks of 16 x 16: the lanes of a warp lie in two rows of 64 bytes.
TEST(Coalescing, TwoRowsOfSixteen) {
    const auto rows = cost(4, [](int i) { return 4u * (i % 16) + 4096u * (i / 16); });
    EXPECT_EQ(rows.sectors, 4u);
    EXPECT_EQ(rows.lines, 2u);
}

TEST(Coalescing, AnAccessAcrossASectorTouchesBoth) {
    const auto straddling = cost(8, [](int) { return 28u; });
    EXPECT_EQ(straddling.sectors, 2u);
    EXPECT_EQ(straddling.distinct_bytes, 8u);
}

TEST(Coalescing, NoLaneNoTransaction) {
    const auto none = cost(4, [](int i) { return 4u * i; }, 0);
    EXPECT_EQ(none.sectors, 0u);
    EXPECT_EQ(none.distinct_bytes, 0u);
}

// Random requests, overlapping and unordered, against sets of bytes; and the shift by a line.
TEST(Coalescing, AgreesWithSetsOfBytes) {
    std::mt19937 random(7);
    for (int trial = 0; trial < 3000; ++trial) {
        const std::uint32_t bytes = 1u << random() % 5;
        const Address range = 1u << (5 + random() % 9);
        const std::uint32_t mask = random() % 3 == 0 ? random() : all_lanes;
        std::array<Address, 32> addresses;
        std::set<Address> touched, sectors, lines;
        for (int lane = 0; lane < 32; ++lane) {
            addresses[lane] = 4096 + random() % range;
            if ((mask >> lane & 1) == 0) continue;
            for (Address byte = addresses[lane]; byte < addresses[lane] + bytes; ++byte) {
                touched.insert(byte);
                sectors.insert(byte / 32);
                lines.insert(byte / 128);
            }
        }
        const auto counted = emulator::coalesce({addresses, mask, bytes});
        ASSERT_EQ(counted.distinct_bytes, touched.size());
        ASSERT_EQ(counted.sectors, sectors.size());
        ASSERT_EQ(counted.lines, lines.size());
        for (Address& address : addresses) address += 128 * 77;
        const auto shifted = emulator::coalesce({addresses, mask, bytes});
        ASSERT_EQ(shifted.sectors, counted.sectors);
        ASSERT_EQ(shifted.lines, counted.lines);
    }
}

// The lanes in reverse order; 128 bytes that begin at byte 100 of a line.
TEST(Lines, HoldTheSectorsOfARequest) {
    std::array<emulator::Address, 32> addresses{};
    for (std::size_t lane = 0; lane < 32; ++lane) addresses[31 - lane] = 4096 + 4 * lane + 100;
    const emulator::LineList lines = emulator::lines_of({addresses, 0xffffffffu, 4});
    // Bytes 100 to 227: sector 3 of the first line, 0 to 3 of the second.
    ASSERT_EQ(lines.count, 2u);
    EXPECT_EQ(lines.line[0], emulator::LineSectors(4096, 0x8));
    EXPECT_EQ(lines.line[1], emulator::LineSectors(4096 + 128, 0xf));
    const emulator::LineList crossing =
        emulator::lines_of({addresses, 1u << 31, 32});  // one lane, bytes 100 to 131
    ASSERT_EQ(crossing.count, 2u);
    EXPECT_EQ(crossing.line[0], emulator::LineSectors(4096, 0x8));
    EXPECT_EQ(crossing.line[1], emulator::LineSectors(4096 + 128, 0x1));
}

// 20,000 increments of 5 neighbouring counters by 625 warps took 5,895 sectors on an H200, and of 64
// counters 8,237: lanes of one address go one after another, with those of other sectors beside them.
TEST(AtomicSectors, CountLanesOfOneAddressOneByOne) {
    const auto sectors = [](auto address_of, std::uint32_t mask = 0xffffffffu) {
        std::array<Address, 32> addresses{};
        for (std::size_t lane = 0; lane < 32; ++lane) addresses[lane] = 4096 + address_of(lane);
        return emulator::atomic_sectors({addresses, mask, 4});
    };
    EXPECT_EQ(sectors([](std::size_t lane) { return 4 * lane; }), 4u);
    EXPECT_EQ(sectors([](std::size_t) { return 0; }), 32u);
    EXPECT_EQ(sectors([](std::size_t) { return 0; }, 0x70u), 3u);
    EXPECT_EQ(sectors([](std::size_t lane) { return 4 * (lane % 8); }),
              4u);  // one sector, 4 lanes a word
    EXPECT_EQ(sectors([](std::size_t lane) { return 32 * (lane % 8); }),
              32u);  // 8 sectors, 4 lanes each
    EXPECT_EQ(sectors([](std::size_t lane) { return lane < 3 ? 0 : 32 + 4 * (lane % 2); }),
              3u + 15u);
}

TEST(AtomicSectors, AgreeWithAnH200) {
    const auto histogram = [](std::uint32_t values, std::uint32_t bins) {
        std::uint32_t state = 2654435761u + 12345u, sectors = 0;
        for (int warp = 0; warp < 625; ++warp) {
            std::array<Address, 32> addresses{};
            for (Address& address : addresses) {
                state = state * 1664525u + 1013904223u;
                address = 4 * ((state >> 9) % values % bins);
            }
            sectors += emulator::atomic_sectors({addresses, 0xffffffffu, 4});
        }
        return sectors;
    };
    EXPECT_EQ(histogram(5, 64), 5895u);
    EXPECT_EQ(histogram(256, 64), 8237u);
}

}  // namespace
