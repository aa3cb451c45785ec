// The banks' rule, from address lists alone.
#include "emulator/shared_banks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace {

using emulator::Address;
using emulator::BankLayout;

constexpr std::uint32_t all_lanes = 0xffffffffu;
constexpr BankLayout four_byte_banks;
constexpr BankLayout eight_byte_banks{32, 8};

std::uint32_t passes(std::uint32_t bytes, const std::function<Address(int lane)>& address,
                     BankLayout banks = four_byte_banks, std::uint32_t mask = all_lanes) {
    std::array<Address, 32> addresses;
    for (int lane = 0; lane < 32; ++lane) addresses[lane] = 1024 + address(lane);
    return emulator::wavefronts({addresses, mask, bytes}, banks);
}

std::uint32_t stride(std::uint32_t bytes, int words, BankLayout banks = four_byte_banks) {
    return passes(bytes, [=](int i) { return Address(bytes) * i * words; }, banks);
}

// Lanes i and j meet in a bank when s x (i - j) is a multiple of 32: gcd(s, 32) lanes in each.
TEST(SharedBanks, WordStridesConflictByTheirGcd) {
    for (int s = 1; s <= 64; ++s) EXPECT_EQ(stride(4, s), unsigned(std::gcd(s, 32))) << s;
}

TEST(SharedBanks, BroadcastAndMulticastAreFree) {
    EXPECT_EQ(passes(4, [](int) { return 12u; }), 1u);
    EXPECT_EQ(passes(4, [](int i) { return 4u * (i / 4); }), 1u);
    // Two words of one bank, each for half the warp: two passes.
    EXPECT_EQ(passes(4, [](int i) { return 128u * (i % 2); }), 2u);
}

// Bytes: 32 consecutive ones are 8 words of 8 banks. Stride 4 bytes is one word a lane. Stride 8
// bytes: words 0, 2, ... 62, two in each even bank.
TEST(SharedBanks, Bytes) {
    EXPECT_EQ(stride(1, 1), 1u);
    EXPECT_EQ(stride(1, 4), 1u);
    EXPECT_EQ(stride(1, 8), 2u);
    EXPECT_EQ(stride(1, 128), 32u);
}

// Doubles in half warps: lane i covers words 2is and 2is + 1. Lanes i and j meet when 2s(i - j) is a
// multiple of 32, s(i - j) of 16: gcd(s, 16) passes a half warp, two halves.
TEST(SharedBanks, DoublesGoInHalfWarps) {
    for (int s = 1; s <= 32; ++s) EXPECT_EQ(stride(8, s), 2u * std::gcd(s, 16)) << s;
    // One double for all, as an H200 counts it: one pass. For each half warp its own, in the same
    // two banks: two.
    EXPECT_EQ(passes(8, [](int) { return 8u; }), 1u);
    EXPECT_EQ(passes(8, [](int i) { return 128u * (i / 16); }), 2u);
}

// 16 bytes in quarter warps: 8 lanes, meeting when 4s(i - j) is a multiple of 32: gcd(s, 8) each.
TEST(SharedBanks, SixteenBytesGoInQuarterWarps) {
    for (int s = 1; s <= 32; ++s) EXPECT_EQ(stride(16, s), 4u * std::gcd(s, 8)) << s;
    // One element for all, or one a half warp: the quarters of a half share a pass, as an H200 counts.
    EXPECT_EQ(passes(16, [](int) { return 16u; }), 2u);
    EXPECT_EQ(passes(16, [](int i) { return 256u * (i / 16); }), 2u);
}

// A column of a 32 x 32 tile of floats is one bank; of a 32 x 33 tile, 32 different ones.
TEST(SharedBanks, PaddedTile) {
    EXPECT_EQ(passes(4, [](int i) { return 4u * 32 * i; }), 32u);
    EXPECT_EQ(passes(4, [](int i) { return 4u * 33 * i; }), 1u);
}

// Blocks of 16 x 16 reading columns of a 16 x 17 tile: lanes 0...15 read words 17i, lanes 16...31
// words 17i + 1. Bank 17i mod 32 runs through 0, 17, 2, 19, ...; the second half through the same
// shifted by one: banks 1, 18, 3, ... The halves share no bank for even i (even banks below 16, and
// 17 + ...): words 17i and 17j + 1 meet when 17(i - j) = 1 mod 32, i - j = 17: never with i, j < 16;
// or i - j = -15: lanes i = 0 and j = 15 (17 x 15 + 1 = 256 = 0 mod 32). One bank has two words.
TEST(SharedBanks, SixteenWideTileIsNotFreedByPadding) {
    EXPECT_EQ(passes(4, [](int i) { return 4u * (17 * (i % 16) + i / 16); }), 2u);
    // Without padding: words 16i are in banks 0 and 16 alone, 8 each; the second half in 1 and 17.
    EXPECT_EQ(passes(4, [](int i) { return 4u * (16 * (i % 16) + i / 16); }), 8u);
}

// Kepler's 8-byte banks: doubles of stride 1 are 32 words of 32 banks, one pass. Floats of stride 2
// are one 8-byte word a lane, one pass; and two floats of one 8-byte word are one word.
TEST(SharedBanks, EightByteBanks) {
    EXPECT_EQ(stride(8, 1, eight_byte_banks), 1u);
    EXPECT_EQ(stride(8, 2, eight_byte_banks), 2u);
    EXPECT_EQ(stride(4, 1, eight_byte_banks), 1u);
    EXPECT_EQ(stride(4, 2, eight_byte_banks), 1u);
    EXPECT_EQ(stride(4, 32, eight_byte_banks), 16u);
    EXPECT_EQ(stride(16, 1, eight_byte_banks), 2u);
    EXPECT_EQ(passes(16, [](int) { return 16u; }, eight_byte_banks), 1u);
}

TEST(SharedBanks, InactiveLanes) {
    EXPECT_EQ(passes(4, [](int i) { return 128u * i; }, four_byte_banks, 0x0000000fu), 4u);
    EXPECT_EQ(passes(8, [](int i) { return 8u * i; }, four_byte_banks, 0x0000ffffu), 1u);
    EXPECT_EQ(passes(4, [](int i) { return 4u * i; }, four_byte_banks, 0), 0u);
}

// 32 distinct elements of 4, 8, 16 bytes are 32, 64, 128 words: 1, 2, 4 passes at best. Fewer distinct
// ones need fewer: 32 lanes on 16 doubles are 32 words, 1.
TEST(SharedBanks, IdealIsWhatTheDistinctWordsNeed) {
    const auto ideal = [](std::uint32_t bytes, const std::function<Address(int)>& address,
                          std::uint32_t mask = all_lanes) {
        std::array<Address, 32> addresses;
        for (int lane = 0; lane < 32; ++lane) addresses[lane] = address(lane);
        return emulator::ideal_wavefronts({addresses, mask, bytes}, four_byte_banks);
    };
    EXPECT_EQ(ideal(4, [](int i) { return 4u * i; }), 1u);
    EXPECT_EQ(ideal(4, [](int i) { return 128u * i; }), 1u);
    EXPECT_EQ(ideal(8, [](int i) { return 8u * i; }), 2u);
    EXPECT_EQ(ideal(8, [](int i) { return 8u * (i / 2); }), 1u);
    EXPECT_EQ(ideal(16, [](int i) { return 16u * i; }), 4u);
    EXPECT_EQ(ideal(16, [](int i) { return 16u * (i / 4); }), 2u);
    EXPECT_EQ(ideal(16, [](int i) { return 16u * i; }, 0x000000ffu), 1u);
}

TEST(SharedBanks, AgreesWithMapsOfWords) {
    std::mt19937 random(11);
    for (int trial = 0; trial < 3000; ++trial) {
        const std::uint32_t bytes = 1u << random() % 5;
        const Address range = 1u << (4 + random() % 9);
        const std::uint32_t mask = random() % 3 == 0 ? random() : all_lanes;
        std::array<Address, 32> addresses;
        for (Address& address : addresses) address = 4096 + random() % range * bytes;
        const auto most_words = [&](int first, int lanes) {
            std::map<Address, std::set<Address>> words;
            for (int lane = first; lane < first + lanes; ++lane) {
                if ((mask >> lane & 1) == 0) continue;
                for (Address byte = addresses[lane]; byte < addresses[lane] + bytes; ++byte) {
                    words[byte / 4 % 32].insert(byte / 4);
                }
            }
            std::size_t most = 0;
            for (const auto& [bank, distinct] : words) most = std::max(most, distinct.size());
            return static_cast<std::uint32_t>(most);
        };
        const int group = bytes <= 4 ? 32 : 128 / static_cast<int>(bytes);
        std::uint32_t expected = group == 32 ? most_words(0, 32) : 0;
        for (int first = 0; group < 32 && first < 32; first += 2 * group) {
            const std::uint32_t both = most_words(first, 2 * group);
            expected += both <= 1 ? both : most_words(first, group) + most_words(first + group, group);
        }
        ASSERT_EQ(emulator::wavefronts({addresses, mask, bytes}, four_byte_banks), expected);
        for (Address& address : addresses) address += 128 * 31;
        ASSERT_EQ(emulator::wavefronts({addresses, mask, bytes}, four_byte_banks), expected);
    }
}

}  // namespace
