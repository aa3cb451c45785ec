// Tries of loops of loads and compare-and-swaps in shared memory, beside what an H200 counted of shared_loops.cu.
#include "emulator/models/shared_tries.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using emulator::Address;
using emulator::BankAtomic;
using emulator::BankLayout;
using emulator::SharedSwaps;

constexpr BankLayout four_byte_banks{32, 4};
constexpr std::uint32_t all_lanes = 0xffffffff;

struct Counted {
    unsigned tries = 0, load_wavefronts = 0, atomic_wavefronts = 0;
    bool operator==(const Counted&) const = default;
};

Counted count(const std::vector<SharedSwaps>& warps, std::uint32_t bytes) {
    Counted counted;
    emulator::try_abreast(warps, bytes, four_byte_banks, [&](std::size_t i, std::uint32_t mask) {
        std::array<Address, emulator::warp_size> addresses;
        for (std::size_t lane = 0; lane < addresses.size(); ++lane)
            addresses[lane] = warps[i].offsets[lane];
        const emulator::WarpRequest request{addresses, mask, bytes};
        ++counted.tries;
        counted.load_wavefronts +=
            bank_passes(request, emulator::AccessKind::load, four_byte_banks).wavefronts;
        counted.atomic_wavefronts +=
            atomic_bank_passes(request, BankAtomic::spin, four_byte_banks).wavefronts;
    });
    return counted;
}

// Thread i updates word i % words * stride.
Counted count(unsigned warps, unsigned words, unsigned stride, std::uint32_t bytes) {
    std::vector<SharedSwaps> swaps(warps);
    for (unsigned thread = 0; thread < 32 * warps; ++thread) {
        SharedSwaps& warp = swaps[thread / 32];
        warp.offsets[thread % 32] = thread % words * stride * bytes;
        warp.mask = all_lanes;
    }
    return count(swaps, bytes);
}

struct Row {
    std::string operation;
    unsigned warps = 0, words = 0, stride = 0;
    Counted counted;
};

std::vector<Row> measured() {
    std::ifstream in(LAB_SHARED_LOOPS);
    std::vector<Row> rows;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        for (char& c : line) c = c == ',' ? ' ' : c;
        std::istringstream words(line);
        Row& row = rows.emplace_back();
        words >> row.operation >> row.warps >> row.words >> row.stride >> row.counted.tries >>
            row.counted.load_wavefronts >> row.counted.atomic_wavefronts;
    }
    return rows;
}

double difference(unsigned one, unsigned other) {
    return std::abs(static_cast<double>(one) / static_cast<double>(other) - 1);
}

TEST(SharedTries, FloatsAsAnH200CountsThem) {
    unsigned rows = 0;
    for (const Row& row : measured()) {
        if (row.operation != "add_f32") continue;
        ++rows;
        const Counted counted = count(row.warps, row.words, row.stride, 4);
        const std::string name = std::to_string(row.warps) + " warps, " +
                                 std::to_string(row.words) + " words, stride " +
                                 std::to_string(row.stride);
        if (row.warps <= 4)
            EXPECT_EQ(counted, row.counted) << name;
        else
            EXPECT_LE(difference(counted.tries, row.counted.tries), 0.061) << name;
    }
    EXPECT_EQ(rows, 60u);
}

TEST(SharedTries, DoublesAndLongIntegersMostly) {
    unsigned rows = 0, equal = 0;
    for (const Row& row : measured()) {
        if (row.operation == "add_f32") continue;
        ++rows;
        const Counted counted = count(row.warps, row.words, row.stride, 8);
        equal += counted.tries == row.counted.tries;
        if (row.warps == 1) {
            EXPECT_EQ(counted.tries, row.counted.tries);
        }
    }
    EXPECT_EQ(rows, 120u);
    EXPECT_GE(equal, 76u);
}

// W warps on one word: 32 W rounds, in each of which all try that have lanes left. The last W rounds finish a warp each.
TEST(SharedTries, WarpsTakeTurnsOnAWord) {
    for (const unsigned warps : {1u, 2u, 4u, 8u})
        EXPECT_EQ(count(warps, 1, 1, 4).tries, warps * 32 * warps - warps * (warps - 1) / 2);
}

// Warps on words of their own do not meet: 32 tries each for one bank, 1 for 32 banks.
TEST(SharedTries, WarpsOnTheirOwnWordsDoNotMeet) {
    std::vector<SharedSwaps> warps(4);
    for (std::uint32_t i = 0; i < warps.size(); ++i) {
        warps[i].offsets.fill(4 * i);
        warps[i].mask = all_lanes;
    }
    EXPECT_EQ(count(warps, 4).tries, 4u * 32);
    for (std::uint32_t i = 0; i < warps.size(); ++i) {
        for (std::uint32_t lane = 0; lane < 32; ++lane) warps[i].offsets[lane] = 128 * i + 4 * lane;
    }
    EXPECT_EQ(count(warps, 4).tries, 4u);
    EXPECT_EQ(count({}, 4).tries, 0u);
}

}  // namespace
