// The rules of shared-memory hazards, from accesses written down by hand. Threads 0 to 31 are one warp.
#include "emulator/models/hazards/shared_hazards.hpp"

#include <gtest/gtest.h>

namespace {

using emulator::AccessKind;
using emulator::Accessor;
using emulator::Hazard;
using emulator::HazardKind;

constexpr emulator::Site writer = 1, reader = 2;

class SharedMemoryHazards : public testing::Test {
  protected:
    SharedMemoryHazards() { checker.begin_block(256); }
    void write(std::uint16_t thread, std::uint32_t offset, std::uint32_t bytes = 4,
               std::uint32_t warp_epoch = 0) {
        checker.access({thread, warp_epoch}, offset, bytes, AccessKind::store, writer);
    }
    void read(std::uint16_t thread, std::uint32_t offset, std::uint32_t bytes = 4,
              std::uint32_t warp_epoch = 0) {
        checker.access({thread, warp_epoch}, offset, bytes, AccessKind::load, reader);
    }
    std::vector<Hazard> found() {
        checker.end_block();
        return checker.take_findings();
    }
    HazardKind only() {
        const auto hazards = found();
        EXPECT_EQ(hazards.size(), 1u);
        return hazards.empty() ? HazardKind::divergent_barrier : hazards.front().kind;
    }
    emulator::SharedMemoryHazards checker;
};

TEST_F(SharedMemoryHazards, AReadAfterAnotherThreadsWriteNeedsABarrier) {
    write(0, 4);
    read(32, 4);
    const auto hazards = found();
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_EQ(hazards[0].kind, HazardKind::read_after_write);
    EXPECT_EQ(hazards[0].thread, 32);
    EXPECT_EQ(hazards[0].other_thread, 0);
    EXPECT_EQ(hazards[0].site, reader);
    EXPECT_EQ(hazards[0].other_site, writer);
    EXPECT_EQ(hazards[0].shared_offset, 4u);
}

TEST_F(SharedMemoryHazards, ABarrierOrdersThem) {
    write(0, 4);
    checker.synchronise();
    read(32, 4);
    EXPECT_TRUE(found().empty());
}

// Since Volta the lanes of a warp need not advance together.
TEST_F(SharedMemoryHazards, LanesOfOneWarpRaceUntilTheyAreSynchronised) {
    write(0, 4, 4, 0);
    read(1, 4, 4, 0);
    EXPECT_EQ(only(), HazardKind::read_after_write);
}

TEST_F(SharedMemoryHazards, ASynchronisedWarpOrdersItsOwnLanesAlone) {
    write(0, 4, 4, 0);
    read(1, 4, 4, 1);
    EXPECT_TRUE(found().empty());
    checker.begin_block(256);
    write(0, 4, 4, 0);
    read(32, 4, 4, 1);
    EXPECT_EQ(only(), HazardKind::read_after_write);
}

// Of three readers the first two are remembered: the writer is one of them, the other is not.
TEST_F(SharedMemoryHazards, AWriteRacesWithAReaderThatIsNotTheLast) {
    write(0, 8);
    checker.synchronise();
    read(40, 8);
    read(0, 8);
    checker.access({0, 0}, 8, 4, AccessKind::store, 3);
    const auto hazards = found();
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_EQ(hazards[0].kind, HazardKind::write_after_read);
    EXPECT_EQ(hazards[0].other_thread, 40);
}

// The one before the last stays known, however often the last one reads.
TEST_F(SharedMemoryHazards, AReaderIsNotForgottenWhenTheLastOneReadsAgain) {
    write(0, 8);
    checker.synchronise();
    read(40, 8);
    read(0, 8);
    read(0, 8);
    write(0, 8);
    const auto hazards = found();
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_EQ(hazards[0].kind, HazardKind::write_after_read);
    EXPECT_EQ(hazards[0].other_thread, 40);
}

TEST_F(SharedMemoryHazards, LanesOfAWarpRaceUnlessItIsSynchronised) {
    write(0, 4, 4, 3);
    read(1, 4, 4, 3);
    EXPECT_EQ(only(), HazardKind::read_after_write);
}

// An atomic operation reads and writes: plain accesses race with it whichever comes first.
TEST_F(SharedMemoryHazards, APlainAccessRacesWithAnAtomicBeforeOrAfterIt) {
    const auto add = [&](std::uint16_t thread) {
        checker.access({thread, 0}, 0, 4, AccessKind::atomic, 5);
    };
    write(0, 0);
    checker.synchronise();
    add(0);
    read(33, 0);
    EXPECT_EQ(only(), HazardKind::read_after_write);
    checker.begin_block(256);
    write(0, 0);
    checker.synchronise();
    read(33, 0);
    add(0);
    EXPECT_EQ(only(), HazardKind::write_after_read);
    checker.begin_block(256);
    write(0, 0);
    add(33);
    EXPECT_EQ(only(), HazardKind::write_after_write);
}

TEST_F(SharedMemoryHazards, AtomicsRaceWithPlainAccessesAlone) {
    write(0, 0);
    checker.synchronise();
    checker.access({0, 0}, 0, 4, AccessKind::atomic, 5);
    checker.access({33, 0}, 0, 4, AccessKind::atomic, 5);
    EXPECT_TRUE(found().empty());
    checker.access({0, 0}, 0, 4, AccessKind::atomic, 5);
    checker.access({33, 0}, 0, 4, AccessKind::store, writer);
    EXPECT_EQ(only(), HazardKind::write_after_write);
}

TEST_F(SharedMemoryHazards, BytesOfOneWordAreApart) {
    write(0, 0, 1);
    write(33, 1, 1);
    EXPECT_TRUE(found().empty());
    write(0, 0, 2);
    write(33, 1, 1);
    EXPECT_EQ(only(), HazardKind::write_after_write);
}

TEST_F(SharedMemoryHazards, WideAccessesCoverAllTheirWords) {
    write(0, 0, 16);
    read(64, 12, 4);
    EXPECT_EQ(only(), HazardKind::read_after_write);
}

TEST_F(SharedMemoryHazards, AReadOfUninitialisedMemory) {
    write(0, 0, 8);
    read(0, 4, 8);  // bytes 8 to 11 were never written
    const auto hazards = found();
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_EQ(hazards[0].kind, HazardKind::uninitialised_read);
    EXPECT_EQ(hazards[0].shared_offset, 8u);
}

// A read that comes first in this order of execution, of a word that another thread writes before the
// barrier, is that race, and no uninitialised read.
TEST_F(SharedMemoryHazards, AnEarlyReadIsReportedAsTheRaceThatItIs) {
    read(32, 0);
    write(0, 0);
    EXPECT_EQ(only(), HazardKind::write_after_read);
}

// What an atomic adds to has to be there; an exchange whose result nothing reads writes it. Said once: the
// threads that read the sum are not to blame.
TEST_F(SharedMemoryHazards, AnAtomicReadsWhatItUpdates) {
    const std::array<std::uint32_t, emulator::warp_size> offsets{};
    emulator::WarpAccess atomic{.mask = 1,
                                .offsets = offsets.data(),
                                .bytes = 4,
                                .kind = AccessKind::atomic,
                                .is_strong = true,
                                .site = 7};
    checker.access(atomic);
    checker.synchronise();
    read(0, 0);
    const auto hazards = found();
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_EQ(hazards[0].kind, HazardKind::uninitialised_read);
    EXPECT_EQ(hazards[0].site, 7u);

    checker.begin_block(256);
    atomic.overwrites = true;
    checker.access(atomic);
    atomic.overwrites = false;
    checker.access(atomic);
    EXPECT_TRUE(found().empty());
}

TEST_F(SharedMemoryHazards, ABlockBeginsWithNothingWritten) {
    write(0, 0);
    EXPECT_TRUE(found().empty());
    checker.begin_block(256);
    read(0, 0);
    EXPECT_EQ(only(), HazardKind::uninitialised_read);
}

TEST_F(SharedMemoryHazards, EachPairOfPlacesIsReportedOnce) {
    for (std::uint16_t thread = 0; thread < 64; ++thread) write(thread, 0);
    EXPECT_EQ(found().size(), 1u);
}

// A store is not forgotten over the atomics that come behind it.
TEST_F(SharedMemoryHazards, AtomicsOfOthersRaceWithAStoreBehindAnAtomicOfItsThread) {
    write(0, 0);
    checker.access({0, 0}, 0, 4, AccessKind::atomic, 5);
    checker.access({1, 0}, 0, 4, AccessKind::atomic, 5);
    EXPECT_EQ(only(), HazardKind::write_after_write);
}

// Thread 0 reads first, then other warps; thread 0 writes, after its own warp has synchronised.
TEST_F(SharedMemoryHazards, ReadersOfOtherWarpsAreNotForgottenOverTheFirstOne) {
    write(0, 0);
    checker.synchronise();
    read(0, 0);
    read(1, 0);
    read(40, 0);
    write(0, 0, 4, 5);
    EXPECT_EQ(only(), HazardKind::write_after_read);
}

TEST_F(SharedMemoryHazards, ReadersOfTheOwnWarpAreOrderedByItsSynchronisation) {
    write(0, 0);
    checker.synchronise();
    read(0, 0);
    read(1, 0);
    write(0, 0, 4, 1);
    EXPECT_TRUE(found().empty());
}

class SameValues final : public emulator::StoredValues {
    bool is_same(std::uint16_t, std::uint16_t) const override { return true; }
};

TEST_F(SharedMemoryHazards, StoresOfTheSameValueAreNoRace) {
    const SameValues same;
    write(0, 0);
    checker.access({40, 0}, 0, 4, AccessKind::store, writer, false, &same);
    EXPECT_TRUE(found().empty());
}

TEST_F(SharedMemoryHazards, VolatileFlagsOfOtherWarpsAreNoRace) {
    checker.access({0, 0}, 0, 4, AccessKind::store, writer, true);
    checker.access({40, 0}, 0, 4, AccessKind::load, reader, true);
    EXPECT_TRUE(found().empty());
    checker.access({0, 0}, 4, 4, AccessKind::store, writer, true);
    checker.access({1, 0}, 4, 4, AccessKind::load, reader, true);
    EXPECT_EQ(only(), HazardKind::read_after_write);
}

// A fence, a store to a flag, and a load of it that has seen the store.
TEST_F(SharedMemoryHazards, AFenceAndAFlagOrderWarps) {
    for (const bool with_fence : {true, false}) {
        checker.begin_block(256);
        write(0, 0);
        if (with_fence) checker.fence();
        checker.release();
        checker.acquire();
        read(40, 0);
        EXPECT_EQ(found().empty(), with_fence);
    }
}

// Then no race is made up of a fence that is not reported.
TEST_F(SharedMemoryHazards, WhereFencesAreNotReportedAFlagOrdersWarps) {
    checker.begin_block(256, false);
    write(0, 0);
    checker.release();
    checker.acquire();
    read(40, 0);
    EXPECT_TRUE(found().empty());
}

// ---- asynchronous copies -------------------------------------------------------------------------

class AsynchronousCopies : public SharedMemoryHazards {
  protected:
    static constexpr emulator::Site copier = 7;
    void copy(std::uint16_t thread, std::uint32_t offset) {
        checker.copy({thread, 0}, offset, 4, copier);
        checker.commit_copies(thread);
    }
};

TEST_F(AsynchronousCopies, AReadBeforeTheWaitIsAHazard) {
    copy(0, 8);
    checker.synchronise();
    read(40, 8);
    const auto hazards = found();
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_EQ(hazards[0].kind, HazardKind::copy_not_awaited);
    EXPECT_EQ(hazards[0].other_thread, 0);
    EXPECT_EQ(hazards[0].other_site, copier);
}

TEST_F(AsynchronousCopies, TheOwnThreadHasToWaitToo) {
    copy(0, 8);
    read(0, 8);
    EXPECT_EQ(only(), HazardKind::copy_not_awaited);
}

TEST_F(AsynchronousCopies, AWaitAndABarrierOrderThem) {
    copy(0, 8);
    checker.wait_for_copies({0, 0}, 0);
    read(0, 8);
    checker.synchronise();
    read(40, 8);
    EXPECT_TRUE(found().empty());
}

// The barrier has to be behind the wait.
TEST_F(AsynchronousCopies, AWaitWithoutABarrierIsARace) {
    copy(0, 8);
    checker.synchronise();
    checker.wait_for_copies({0, 0}, 0);
    read(40, 8);
    EXPECT_EQ(only(), HazardKind::read_after_write);
}

TEST_F(AsynchronousCopies, AWaitForAllButOneLeavesTheLastGroup) {
    copy(0, 8);
    copy(0, 12);
    checker.wait_for_copies({0, 0}, 1);
    read(0, 8);
    EXPECT_TRUE(found().empty());
    read(0, 12);
    EXPECT_EQ(only(), HazardKind::copy_not_awaited);
}

TEST_F(AsynchronousCopies, WaitAllIncludesWhatIsNotCommitted) {
    checker.copy({0, 0}, 8, 4, copier);
    checker.wait_for_copies({0, 0}, 0);
    read(0, 8);
    EXPECT_EQ(only(), HazardKind::copy_not_awaited);
    checker.wait_for_all_copies({0, 0});
    read(0, 8);
    EXPECT_TRUE(found().empty());
}

}  // namespace
