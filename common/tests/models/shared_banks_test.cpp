// The banks' rule, from address lists alone: derived by hand, against a naive form of it, and against
// what an H200 counted.
#include "emulator/models/shared_banks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <string>

namespace {

using emulator::AccessKind;
using emulator::Address;
using emulator::BankLayout;
using emulator::BankPasses;
using Lanes = std::array<Address, 32>;

constexpr std::uint32_t all_lanes = 0xffffffffu;
constexpr BankLayout four_byte_banks;
constexpr BankLayout kepler_banks{32, 8};
const BankLayout eight_byte_banks = kepler_banks.in_widest_mode();

std::uint32_t passes(std::uint32_t bytes, const std::function<Address(int lane)>& address,
                     BankLayout banks = four_byte_banks, std::uint32_t mask = all_lanes) {
    Lanes addresses;
    for (int lane = 0; lane < 32; ++lane) addresses[lane] = 1024 + address(lane);
    return bank_passes({addresses, mask, bytes}, AccessKind::load, banks).wavefronts;
}

std::uint32_t stride(std::uint32_t bytes, int words, BankLayout banks = four_byte_banks) {
    return passes(bytes, [=](int i) { return Address(bytes) * i * words; }, banks);
}

// Wavefronts and conflicts of an access in which lane i takes element(i).
using Elements = std::function<int(int lane)>;
BankPasses access(AccessKind kind, std::uint32_t bytes, const Elements& element,
                  std::uint32_t mask = all_lanes, BankLayout banks = four_byte_banks) {
    Lanes addresses;
    for (int lane = 0; lane < 32; ++lane) addresses[lane] = 1024 + Address(bytes) * element(lane);
    return bank_passes({addresses, mask, bytes}, kind, banks);
}
BankPasses load(std::uint32_t bytes, const Elements& element, std::uint32_t mask = all_lanes) {
    return access(AccessKind::load, bytes, element, mask);
}
BankPasses store(std::uint32_t bytes, const Elements& element, std::uint32_t mask = all_lanes) {
    return access(AccessKind::store, bytes, element, mask);
}

// 32 lanes on 8 words: of each bank one lane swaps, so that all have swapped after four tries.
TEST(SharedBanks, OneLaneOfABankSwapsInATry) {
    std::array<std::uint32_t, 32> offsets{};
    for (std::uint32_t lane = 0; lane < 32; ++lane) offsets[lane] = 4 * (lane % 8);
    EXPECT_EQ(emulator::lanes_that_swap(offsets, all_lanes, four_byte_banks), 0xffu);
    EXPECT_EQ(emulator::lanes_that_swap(offsets, 0xff00ff00, four_byte_banks), 0xff00u);
    // Words of one bank stand in each other's way, too.
    for (std::uint32_t lane = 0; lane < 32; ++lane) offsets[lane] = 128 * lane;
    EXPECT_EQ(emulator::lanes_that_swap(offsets, all_lanes, four_byte_banks), 1u);
    EXPECT_EQ(emulator::lanes_that_swap(offsets, 0, four_byte_banks), 0u);
}

// An H200 counted 1,630 passes and no conflicts of 815 tries of ordinary_cuda's weighted_histogram.
TEST(SharedBanks, ATryOfALoopTakesTwoPasses) {
    for (const int distance : {0, 1, 32}) {
        Lanes addresses;
        for (int lane = 0; lane < 32; ++lane) addresses[lane] = Address(4) * lane * distance;
        EXPECT_EQ(emulator::atomic_bank_passes({addresses, all_lanes, 4},
                                               emulator::BankAtomic::spin, four_byte_banks),
                  (BankPasses{2, 0}));
    }
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
}

// 16 bytes in quarter warps: 8 lanes, meeting when 4s(i - j) is a multiple of 32: gcd(s, 8) each.
TEST(SharedBanks, SixteenBytesGoInQuarterWarps) {
    for (int s = 1; s <= 32; ++s) EXPECT_EQ(stride(16, s), 4u * std::gcd(s, 8)) << s;
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

// ---- loads of 8 and 16 bytes: when neighbouring groups go together ---------------------------------

// All pairs read the same element: two halves become a warp, four quarters two halves. One word in each
// bank at most: a pass for each of what is left.
TEST(SharedBanks, OneElementForAll) {
    EXPECT_EQ(load(8, [](int) { return 3; }), (BankPasses{1, 0}));
    EXPECT_EQ(load(16, [](int) { return 3; }), (BankPasses{2, 0}));
}

// 16 elements, each for lanes 2k and 2k + 1. Of 8 bytes they are 32 words in 32 banks, one pass of the
// whole warp; of 16 bytes each half warp has 8 elements, 32 words in 32 banks.
TEST(SharedBanks, PairsGoTogether) {
    const auto pairs = [](int i) { return i / 2; };
    EXPECT_EQ(load(8, pairs), (BankPasses{1, 0}));
    EXPECT_EQ(load(16, pairs), (BankPasses{2, 0}));
    // 128 bytes apart, every element begins in bank 0. Together: 16 of 8 bytes in one group, and twice 8
    // of 16 bytes. Merging saves no pass here, but a group, so that there is a conflict more for it.
    EXPECT_EQ(load(8, [](int i) { return i / 2 * 16; }), (BankPasses{16, 15}));
    EXPECT_EQ(load(16, [](int i) { return i / 2 * 8; }), (BankPasses{16, 14}));
    // The quarters of a half have the same four elements, all in bank 0: 4 passes a half, not 4 a quarter.
    EXPECT_EQ(load(16, [](int i) { return i % 8 / 2 * 8; }), (BankPasses{8, 6}));
}

// Lane 5 reads what the next pair reads: the same words, and yet nothing goes together any more.
TEST(SharedBanks, OneBrokenPairPartsAllGroups) {
    const auto broken = [](int i) { return i == 5 ? 3 : i / 2; };
    EXPECT_EQ(load(8, broken), (BankPasses{2, 0}));
    EXPECT_EQ(load(16, broken), (BankPasses{4, 0}));
}

// Lanes 4k and 4k + 2 read one element, 4k + 1 and 4k + 3 another.
TEST(SharedBanks, LanesTwoApartGoTogetherLikePairs) {
    const auto two_apart = [](int i) { return i / 4 * 2 + i % 2; };
    EXPECT_EQ(load(8, two_apart), (BankPasses{1, 0}));
    EXPECT_EQ(load(16, two_apart), (BankPasses{2, 0}));
}

// Four, eight and sixteen lanes apart there is no such rule: 16 elements side by side, each for lanes k
// and k ^ 4 (8, 16), and none for two neighbours. Together they would be one pass of 8 bytes, and two of
// 16 (or four, two of them conflicts, where each half has all 16 elements).
TEST(SharedBanks, LanesFurtherApartDoNot) {
    for (const int apart : {4, 8, 16}) {
        const auto element = [=](int i) { return i / (2 * apart) * apart + i % apart; };
        EXPECT_EQ(load(8, element), (BankPasses{2, 0})) << apart;
        EXPECT_EQ(load(16, element), (BankPasses{4, 0})) << apart;
    }
}

// One half of the warp by pairs, the other two lanes apart: neither holds for the whole warp.
TEST(SharedBanks, BothKindsDoNotMix) {
    const auto mixed = [](int i) { return i < 16 ? i / 2 : i / 4 * 2 + i % 2; };
    EXPECT_EQ(load(8, mixed), (BankPasses{2, 0}));
    EXPECT_EQ(load(16, mixed), (BankPasses{4, 0}));
    // Nor is one half by pairs enough for its own two quarters.
    const auto half = [](int i) { return i < 16 ? i / 2 : i - 8; };
    EXPECT_EQ(load(16, half), (BankPasses{4, 0}));
}

// Stores never go together: a pass for each half or quarter, though all lanes write the same words.
TEST(SharedBanks, StoresKeepTheirGroups) {
    for (const Elements& element :
         {Elements([](int) { return 3; }), Elements([](int i) { return i / 2; }),
          Elements([](int i) { return i / 4 * 2 + i % 2; })}) {
        EXPECT_EQ(store(8, element), (BankPasses{2, 0}));
        EXPECT_EQ(store(16, element), (BankPasses{4, 0}));
        EXPECT_EQ(access(AccessKind::atomic, 8, element), (BankPasses{2, 0}));
    }
}

// A warp's lanes 8 x 4 in a tile, 16 bytes each. a: lane i reads element i % 8, so that every quarter
// reads the same 128 bytes, but neighbours differ: 4 passes. b: element i / 8, one for each quarter: all
// pairs agree, and the two elements of a half lie side by side, 2 passes.
TEST(SharedBanks, LanesEightByFour) {
    EXPECT_EQ(load(16, [](int i) { return i % 8; }), (BankPasses{4, 0}));
    EXPECT_EQ(load(16, [](int i) { return i / 8; }), (BankPasses{2, 0}));
}

TEST(SharedBanks, InactiveLanes) {
    EXPECT_EQ(passes(4, [](int i) { return 128u * i; }, four_byte_banks, 0x0000000fu), 4u);
    EXPECT_EQ(passes(8, [](int i) { return 8u * i; }, four_byte_banks, 0x0000ffffu), 1u);
    EXPECT_EQ(passes(4, [](int i) { return 4u * i; }, four_byte_banks, 0), 0u);
    // The odd lanes are off: no pair is left that could differ. 16 elements of 8 bytes, 2i, are words 4i
    // and 4i + 1, in a bank two of them: 2 passes of the warp, one of them a conflict. Of 16 bytes, words
    // 8i to 8i + 3: of the 8 in a half warp two in a bank.
    EXPECT_EQ(load(8, [](int i) { return i; }, 0x55555555u), (BankPasses{2, 1}));
    EXPECT_EQ(load(16, [](int i) { return i; }, 0x55555555u), (BankPasses{4, 2}));
    EXPECT_EQ(store(8, [](int i) { return i; }, 0x55555555u), (BankPasses{2, 0}));
    // The lane that breaks a pair is off.
    EXPECT_EQ(load(16, [](int i) { return i == 5 ? 3 : i / 2; }, ~(1u << 5)), (BankPasses{2, 0}));
    // Groups without an active lane take no pass: the second and the last quarter are off.
    EXPECT_EQ(load(16, [](int i) { return i; }, 0x00ff00ffu), (BankPasses{2, 0}));
}

// Each group's first pass is no conflict: 4 quarters of stride 1 none, of stride 8 (all elements in bank
// 0) 8 passes, 7 conflicts each.
TEST(SharedBanks, ConflictsAreBeyondOnePassAGroup) {
    EXPECT_EQ(load(4, [](int i) { return i; }), (BankPasses{1, 0}));
    EXPECT_EQ(load(4, [](int i) { return 32 * i; }), (BankPasses{32, 31}));
    EXPECT_EQ(load(8, [](int i) { return i; }), (BankPasses{2, 0}));
    EXPECT_EQ(load(16, [](int i) { return i; }), (BankPasses{4, 0}));
    EXPECT_EQ(load(16, [](int i) { return 8 * i; }), (BankPasses{32, 28}));
}

// Kepler's 8-byte banks: doubles of stride 1 are 32 words of 32 banks, one pass. Floats of stride 2
// are one 8-byte word a lane, one pass; and two floats of one 8-byte word are one word. 16 bytes go in
// half warps, and as one warp where pairs agree.
TEST(SharedBanks, EightByteBanks) {
    EXPECT_EQ(stride(8, 1, eight_byte_banks), 1u);
    EXPECT_EQ(stride(8, 2, eight_byte_banks), 2u);
    EXPECT_EQ(stride(4, 1, eight_byte_banks), 1u);
    EXPECT_EQ(stride(4, 2, eight_byte_banks), 1u);
    EXPECT_EQ(stride(4, 32, eight_byte_banks), 16u);
    EXPECT_EQ(stride(16, 1, eight_byte_banks), 2u);
    EXPECT_EQ(passes(16, [](int) { return 16u; }, eight_byte_banks), 1u);
    EXPECT_EQ(passes(16, [](int i) { return 16u * (i % 8); }, eight_byte_banks), 2u);
    EXPECT_EQ(passes(16, [](int i) { return 16u * (i / 8); }, eight_byte_banks), 1u);
}

// Kepler by default: a bank has word w where w % 32 is its number, and delivers two of them in a pass where both lie in the
// same aligned 64 words (CUDA C Programming Guide, compute capability 3.x). Stride 2 from an aligned word on ends at word 62
// and is free; 32 words further on words 32 and 64 meet. Stride 6 meets in two passes (Mei and Chu 2017 measured that it
// is free in the eight-byte mode alone), stride 32 in 16, odd strides never. 32 doubles are 64 aligned words.
TEST(SharedBanks, KeplersBanksOfFourBytesDeliverEight) {
    EXPECT_EQ(stride(4, 1, kepler_banks), 1u);
    EXPECT_EQ(stride(4, 2, kepler_banks), 1u);
    EXPECT_EQ(passes(4, [](int i) { return 128u + 8 * i; }, kepler_banks), 2u);
    EXPECT_EQ(stride(4, 6, kepler_banks), 2u);
    EXPECT_EQ(stride(4, 6, eight_byte_banks), 1u);
    EXPECT_EQ(stride(4, 32, kepler_banks), 16u);
    for (int s = 1; s <= 63; s += 2) EXPECT_EQ(stride(4, s, kepler_banks), 1u) << s;
    // Column 1 of a tile padded by one word: words 1 and 33 x 31 + 1 = 1024 share the first of the wide banks.
    const auto column = [](int i) { return 4u * (33 * i + 1); };
    EXPECT_EQ(passes(4, column, kepler_banks), 1u);
    EXPECT_EQ(passes(4, column, eight_byte_banks), 2u);
    EXPECT_EQ(stride(8, 1, kepler_banks), 1u);
}

// ---- against a naive form, and against an H200 -----------------------------------------------------

// The rule by maps, byte by byte.
BankPasses naive_passes(const Lanes& addresses, std::uint32_t mask, std::uint32_t bytes,
                        bool is_load) {
    const auto active = [&](int lane) { return (mask >> lane & 1) != 0; };
    const auto agree = [&](int distance) {
        std::map<int, std::set<Address>> of_partners;
        for (int lane = 0; lane < 32; ++lane) {
            if (active(lane)) of_partners[lane & ~distance].insert(addresses[lane]);
        }
        for (const auto& [lane, distinct] : of_partners) {
            if (distinct.size() > 1) return false;
        }
        return true;
    };
    int group = bytes <= 4 ? 32 : 128 / static_cast<int>(bytes);
    if (is_load && group < 32 && (agree(1) || agree(2))) group *= 2;
    BankPasses result;
    for (int first = 0; first < 32; first += group) {
        std::map<Address, std::set<Address>> words;
        for (int lane = first; lane < first + group; ++lane) {
            for (Address byte = addresses[lane]; active(lane) && byte < addresses[lane] + bytes;
                 ++byte) {
                words[byte / 4 % 32].insert(byte / 4);
            }
        }
        std::size_t most = 0;
        for (const auto& [bank, distinct] : words) most = std::max(most, distinct.size());
        result.wavefronts += static_cast<std::uint32_t>(most);
        result.conflicts += static_cast<std::uint32_t>(most == 0 ? 0 : most - 1);
    }
    return result;
}

TEST(SharedBanks, AgreesWithMapsOfWords) {
    std::mt19937 random(11);
    int merged = 0;
    for (int trial = 0; trial < 6000; ++trial) {
        const std::uint32_t bytes = 1u << random() % 5;
        const Address range = 1u << random() % 13;
        const std::uint32_t mask = random() % 3 == 0 ? random() : all_lanes;
        Lanes addresses;
        for (Address& address : addresses) address = 4096 + random() % range * bytes;
        // Partners that agree, but for one lane in some of the trials.
        if (const std::size_t distance = random() % 4; distance != 0) {
            for (std::size_t lane = 0; lane < 32; ++lane)
                addresses[lane] = addresses[lane & ~distance];
            if (random() % 3 == 0) addresses[random() % 32] = 4096 + random() % range * bytes;
        }
        for (const AccessKind kind : {AccessKind::load, AccessKind::store}) {
            const BankPasses expected =
                naive_passes(addresses, mask, bytes, kind == AccessKind::load);
            ASSERT_EQ(bank_passes({addresses, mask, bytes}, kind, four_byte_banks), expected);
            Lanes shifted = addresses;
            for (Address& address : shifted) address += 128 * 31;
            ASSERT_EQ(bank_passes({shifted, mask, bytes}, kind, four_byte_banks), expected);
        }
        merged += naive_passes(addresses, mask, bytes, true) !=
                  naive_passes(addresses, mask, bytes, false);
    }
    EXPECT_GT(merged, 500);
}

// Each row: one warp's load or store of one element a lane (-1: inactive), and what Nsight Compute
// counted of it on an H200, l1tex__data_pipe_lsu_wavefronts and l1tex__data_bank_conflicts_pipe_lsu.
TEST(SharedBanks, AgreesWithAnH200) {
    std::ifstream file(LAB_SHARED_BANK_PATTERNS);
    std::string line;
    ASSERT_TRUE(std::getline(file, line)) << LAB_SHARED_BANK_PATTERNS;
    ASSERT_EQ(line, "op,bytes,lanes,wavefronts,bank_conflicts");
    int rows = 0;
    for (; std::getline(file, line); ++rows) {
        std::istringstream fields(line);
        std::string op, bytes, lanes, wavefronts, conflicts;
        std::getline(fields, op, ',');
        std::getline(fields, bytes, ',');
        std::getline(fields, lanes, ',');
        std::getline(fields, wavefronts, ',');
        std::getline(fields, conflicts, ',');
        ASSERT_TRUE(op == "load" || op == "store") << line;
        std::istringstream indices(lanes);
        Lanes addresses{};
        std::uint32_t mask = 0;
        for (int lane = 0; lane < 32; ++lane) {
            int element = -1;
            ASSERT_TRUE(indices >> element) << line;
            if (element < 0) continue;
            mask |= 1u << lane;
            addresses[lane] = std::stoul(bytes) * static_cast<Address>(element);
        }
        const emulator::WarpRequest request{addresses, mask,
                                            static_cast<std::uint32_t>(std::stoul(bytes))};
        const BankPasses counted{static_cast<std::uint32_t>(std::stoul(wavefronts)),
                                 static_cast<std::uint32_t>(std::stoul(conflicts))};
        EXPECT_EQ(bank_passes(request, op == "load" ? AccessKind::load : AccessKind::store,
                              four_byte_banks),
                  counted)
            << line;
    }
    EXPECT_EQ(rows, 598);
}

// Each row: one warp's atomic operation on a word a lane, and what the same counters of atomic operations
// say on an H200.
TEST(SharedBanks, AtomicsAgreeWithAnH200) {
    const std::map<std::string, emulator::BankAtomic> kinds = {
        {"update", emulator::BankAtomic::update},
        {"compare_and_swap", emulator::BankAtomic::compare_and_swap},
        {"count", emulator::BankAtomic::count}};
    std::ifstream file(LAB_SHARED_ATOMIC_PATTERNS);
    std::string line;
    ASSERT_TRUE(std::getline(file, line)) << LAB_SHARED_ATOMIC_PATTERNS;
    ASSERT_EQ(line, "operation,kind,mask,words,wavefronts,bank_conflicts");
    int rows = 0;
    for (; std::getline(file, line); ++rows) {
        std::istringstream fields(line);
        std::string operation, kind, mask, words, wavefronts, conflicts;
        for (std::string* field : {&operation, &kind, &mask, &words, &wavefronts, &conflicts}) {
            std::getline(fields, *field, ',');
        }
        ASSERT_TRUE(kinds.contains(kind)) << line;
        std::istringstream indices(words);
        Lanes addresses{};
        for (Address& address : addresses) {
            ASSERT_TRUE(indices >> address) << line;
            address *= 4;
        }
        const emulator::WarpRequest request{
            addresses, static_cast<std::uint32_t>(std::stoul(mask, nullptr, 16)), 4};
        const BankPasses counted{static_cast<std::uint32_t>(std::stoul(wavefronts)),
                                 static_cast<std::uint32_t>(std::stoul(conflicts))};
        EXPECT_EQ(emulator::atomic_bank_passes(request, kinds.at(kind), four_byte_banks), counted)
            << line;
    }
    EXPECT_EQ(rows, 525);
}

}  // namespace
