// The rules of races in global memory, from accesses written down by hand. Threads 0 to 31 of a block are one warp.
#include "emulator/models/hazards/global_races.hpp"

#include <gtest/gtest.h>

#include <array>

namespace {

using emulator::AccessKind;
using emulator::BlockOrder;
using emulator::GlobalRace;
using emulator::HazardKind;

constexpr emulator::Site writer = 1, reader = 2;

class SameValues final : public emulator::StoredValues {
    bool is_same(std::uint16_t, std::uint16_t) const override { return true; }
};

class GlobalRaces : public testing::Test {
  protected:
    GlobalRaces() { races.begin_launch(); }

    void access(BlockOrder& block, std::uint16_t thread, AccessKind kind, emulator::Address address,
                bool is_strong = false, std::uint32_t bytes = 4, std::uint32_t warp_epoch = 0,
                const emulator::StoredValues* values = nullptr) {
        const std::array<std::uint32_t, 32> zeros{};
        races.access(block, {.first_thread = static_cast<std::uint16_t>(thread / 32 * 32),
                             .warp_epoch = warp_epoch,
                             .mask = 1u << thread % 32,
                             .base = address,
                             .offsets = zeros.data(),
                             .bytes = bytes,
                             .kind = kind,
                             .is_strong = is_strong,
                             .site = kind == AccessKind::load ? reader : writer,
                             .values = values});
    }
    void write(BlockOrder& block, std::uint16_t thread, emulator::Address address = 4096) {
        access(block, thread, AccessKind::store, address);
    }
    void read(BlockOrder& block, std::uint16_t thread, emulator::Address address = 4096) {
        access(block, thread, AccessKind::load, address);
    }
    // A whole warp, words side by side.
    void access_side_by_side(BlockOrder& block, std::uint16_t first_thread, AccessKind kind,
                             emulator::Address address, std::uint32_t bytes = 4) {
        std::array<std::uint32_t, 32> offsets{};
        for (std::uint32_t lane = 0; lane < 32; ++lane) offsets[lane] = lane * bytes;
        races.access(block, {.first_thread = first_thread,
                             .mask = 0xffffffffu,
                             .base = address,
                             .offsets = offsets.data(),
                             .bytes = bytes,
                             .kind = kind,
                             .is_side_by_side = true,
                             .site = kind == AccessKind::load ? reader : writer});
    }
    std::vector<GlobalRace> found() { return races.take_findings(); }
    HazardKind only() {
        const auto all = found();
        EXPECT_EQ(all.size(), 1u);
        return all.empty() ? HazardKind::divergent_barrier : all.front().kind;
    }

    emulator::GlobalRaces races;
    BlockOrder first{.block = 0}, second{.block = 1};
};

TEST_F(GlobalRaces, ABlockReadsWhatAnotherOneWrites) {
    write(first, 3, 4096 + 8);
    read(second, 7, 4096 + 8);
    const auto all = found();
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].kind, HazardKind::read_after_write);
    EXPECT_EQ(all[0].thread, 7);
    EXPECT_EQ(all[0].other_thread, 3);
    EXPECT_EQ(all[0].other_block, 0u);
    EXPECT_EQ(all[0].site, reader);
    EXPECT_EQ(all[0].other_site, writer);
    EXPECT_EQ(all[0].address, 4096u + 8);
}

TEST_F(GlobalRaces, AWriteAfterARead) {
    read(first, 0);
    write(second, 0);
    EXPECT_EQ(only(), HazardKind::write_after_read);
}

TEST_F(GlobalRaces, TwoWrites) {
    write(first, 0);
    write(second, 0);
    EXPECT_EQ(only(), HazardKind::write_after_write);
}

TEST_F(GlobalRaces, ReadsAndOtherWordsAndOneThreadAreNoRace) {
    read(first, 0);
    read(second, 0);
    write(first, 1, 8192);
    write(second, 1, 8192 + 4);
    write(first, 2, 12288);
    read(first, 2, 12288);
    EXPECT_TRUE(found().empty());
}

TEST_F(GlobalRaces, BytesOfOneWordAreApart) {
    access(first, 0, AccessKind::store, 4096, false, 1);
    access(second, 0, AccessKind::store, 4097, false, 1);
    EXPECT_TRUE(found().empty());
    access(second, 1, AccessKind::load, 4097, false, 1);
    EXPECT_EQ(only(), HazardKind::read_after_write);
}

TEST_F(GlobalRaces, StoresOfTheSameValueAreNone) {
    const SameValues same;
    write(first, 0);
    access(second, 0, AccessKind::store, 4096, false, 4, 0, &same);
    EXPECT_TRUE(found().empty());
}

TEST_F(GlobalRaces, ABarrierOrdersTheThreadsOfItsBlock) {
    write(first, 0);
    races.barrier(first);
    read(first, 40);
    EXPECT_TRUE(found().empty());
    read(second, 40);
    EXPECT_EQ(only(), HazardKind::read_after_write);
}

TEST_F(GlobalRaces, WithoutABarrierThreadsOfABlockRace) {
    write(first, 0);
    read(first, 40);
    EXPECT_EQ(only(), HazardKind::read_after_write);
}

// bar.warp.sync, shuffles.
TEST_F(GlobalRaces, ASynchronisedWarpOrdersItsOwnLanes) {
    write(first, 0);
    access(first, 1, AccessKind::load, 4096, false, 4, 1);
    EXPECT_TRUE(found().empty());
    access(first, 33, AccessKind::load, 4096, false, 4, 1);
    EXPECT_EQ(only(), HazardKind::read_after_write);
}

// Epochs are kept in four bits: 16 later there must be no race.
TEST_F(GlobalRaces, LanesStayOrderedAfterManySynchronisations) {
    for (const std::uint32_t epoch : {16u, 32u, 160u}) {
        races.begin_launch();
        write(first, 0);
        access(first, 1, AccessKind::load, 4096, false, 4, epoch);
        EXPECT_TRUE(found().empty()) << epoch;
    }
}

TEST_F(GlobalRaces, AtomicsRaceWithPlainAccessesAlone) {
    access(first, 0, AccessKind::atomic, 4096, true);
    access(second, 0, AccessKind::atomic, 4096, true);
    EXPECT_TRUE(found().empty());
    read(second, 1);
    EXPECT_EQ(only(), HazardKind::read_after_write);
}

TEST_F(GlobalRaces, AnAtomicAfterAPlainStore) {
    write(first, 0);
    access(second, 0, AccessKind::atomic, 4096, true);
    EXPECT_EQ(only(), HazardKind::write_after_write);
}

// The store is not forgotten over an atomic of the same thread.
TEST_F(GlobalRaces, AnAtomicAfterAStoreAndAnAtomicOfOneThread) {
    write(first, 0);
    access(first, 0, AccessKind::atomic, 4096, true);
    access(second, 0, AccessKind::atomic, 4096, true);
    EXPECT_EQ(only(), HazardKind::write_after_write);
}

TEST_F(GlobalRaces, VolatileFlagsAreNoRace) {
    access(first, 0, AccessKind::store, 4096, true);
    access(second, 0, AccessKind::load, 4096, true);
    EXPECT_TRUE(found().empty());
}

TEST_F(GlobalRaces, AReaderIsNotForgottenWhenTheWriterReads) {
    read(first, 0);
    read(second, 0);
    write(first, 0);
    EXPECT_EQ(only(), HazardKind::write_after_read);
}

// Data, a fence and a flag; the other block sees the flag, and reads.
class Released : public GlobalRaces {
  protected:
    void release(bool with_fence) {
        write(first, 0);
        if (with_fence) races.fence(first);
        access(first, 0, AccessKind::store, 8192, true);
        races.release(first);
    }
    void acquire() {
        access(second, 0, AccessKind::load, 8192, true);
        races.acquire(second);
    }
};

TEST_F(Released, AFenceAFlagAndALookAtItOrderBlocks) {
    release(true);
    acquire();
    read(second, 0);
    EXPECT_TRUE(found().empty());
}

TEST_F(Released, WithoutAFenceTheyDoNot) {
    release(false);
    acquire();
    read(second, 0);
    EXPECT_EQ(only(), HazardKind::read_after_write);
}

TEST_F(Released, WithoutALookAtTheFlagTheyDoNot) {
    release(true);
    read(second, 0);
    EXPECT_EQ(only(), HazardKind::read_after_write);
}

// The fence comes too late for the flag.
TEST_F(Released, AFenceBehindTheFlagDoesNot) {
    release(false);
    races.fence(first);
    acquire();
    read(second, 0);
    EXPECT_EQ(only(), HazardKind::read_after_write);
}

TEST_F(Released, WhatIsWrittenBehindTheFlagIsNotReleased) {
    release(true);
    write(first, 0, 12288);
    acquire();
    read(second, 0, 12288);
    EXPECT_EQ(only(), HazardKind::read_after_write);
}

TEST_F(GlobalRaces, ALaunchBeginsWithNothing) {
    write(first, 0);
    races.begin_launch();
    BlockOrder later{.block = 1};
    read(later, 0);
    EXPECT_TRUE(found().empty());
}

// Requests of whole warps are one record; single words of them, too.
TEST_F(GlobalRaces, WholeWarpsAndSingleWordsMeet) {
    for (const std::uint32_t bytes : {4u, 8u, 16u}) {
        races.begin_launch();
        BlockOrder one{.block = 0}, other{.block = 1};
        access_side_by_side(one, 32, AccessKind::store, 4096, bytes);
        read(other, 5, 4096 + 9 * bytes);
        const auto all = found();
        ASSERT_EQ(all.size(), 1u) << bytes;
        EXPECT_EQ(all[0].other_thread, 32 + 9) << bytes;
        read(other, 5, 4096 + 32 * bytes);
        EXPECT_TRUE(found().empty()) << bytes;
    }
}

TEST_F(GlobalRaces, WholeWarpsMeet) {
    access_side_by_side(first, 0, AccessKind::load, 4096);
    access_side_by_side(first, 0, AccessKind::store, 4096);
    EXPECT_TRUE(found().empty());
    access_side_by_side(second, 0, AccessKind::load, 4096);
    EXPECT_EQ(only(), HazardKind::read_after_write);
    access_side_by_side(second, 0, AccessKind::store, 8192, 16);
    access_side_by_side(first, 32, AccessKind::load, 8192 + 256, 4);
    EXPECT_EQ(only(), HazardKind::read_after_write);
}

}  // namespace
