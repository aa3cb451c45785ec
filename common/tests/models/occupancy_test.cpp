// Occupancy against arithmetic that the sources print and that NVIDIA's calculator gives.
#include "emulator/models/occupancy.hpp"

#include <gtest/gtest.h>

namespace {

using emulator::Occupancy;
using emulator::OccupancyLimit;

const emulator::Architecture& gpu(const char* name) { return *emulator::find_architecture(name); }

// Cheng, Grossman, McKercher, chapter 4: Fermi holds 8 blocks and 48 warps; 8 blocks of 128 threads
// are 32 warps, two thirds.
TEST(Occupancy, FermiHoldsEightBlocks) {
    const Occupancy blocks_of_128 = occupancy(gpu("fermi"), 128, 0);
    EXPECT_EQ(blocks_of_128.blocks, 8u);
    EXPECT_EQ(blocks_of_128.warps, 32u);
    EXPECT_NEAR(blocks_of_128.percent, 66.67, 0.01);
    EXPECT_EQ(blocks_of_128.limit, OccupancyLimit::blocks);
    // 256 threads are 8 warps: 6 blocks fill the 48.
    const Occupancy blocks_of_256 = occupancy(gpu("fermi"), 256, 0);
    EXPECT_EQ(blocks_of_256.blocks, 6u);
    EXPECT_EQ(blocks_of_256.percent, 100);
    EXPECT_EQ(blocks_of_256.limit, OccupancyLimit::warps);
    // 1024 threads are 32 warps: one block, the rest stays empty.
    EXPECT_NEAR(occupancy(gpu("fermi"), 1024, 0).percent, 66.67, 0.01);
}

// Fermi's 48 KB: blocks of 12 KB fit four times.
TEST(Occupancy, SharedMemoryLimits) {
    const Occupancy result = occupancy(gpu("fermi"), 128, 12 * 1024);
    EXPECT_EQ(result.blocks, 4u);
    EXPECT_EQ(result.limit, OccupancyLimit::shared_memory);
    EXPECT_EQ(occupancy(gpu("fermi"), 128, 49 * 1024).blocks, 0u);
}

// A P100 holds 64 KB and 32 blocks: 16 x 16 threads with two tiles of 16 x 16 floats (2 KB) are
// limited by warps: 64 / 8 = 8 blocks. Tiles of 32 x 32 (8 KB, 32 warps): 2 blocks.
TEST(Occupancy, PascalTiles) {
    EXPECT_EQ(occupancy(gpu("pascal"), 256, 2048).blocks, 8u);
    EXPECT_EQ(occupancy(gpu("pascal"), 1024, 8192).blocks, 2u);
}

// 27 registers a thread are 864 a warp, on a Fermi rounded to 896, a multiple of 64: 32768 / 896 = 36
// warps, 6 blocks of 6. Rounded to 1024, as by 256, they would be 5.
TEST(Occupancy, FermiAllocatesRegistersBy64) {
    const Occupancy result = occupancy(gpu("fermi"), 192, 0, 27);
    EXPECT_EQ(result.blocks, 6u);
    EXPECT_EQ(result.limit, OccupancyLimit::registers);
}

// 255 registers a thread: 8160 a warp, rounded to 8192; 65536 / 8192 = 8 warps.
TEST(Occupancy, RegistersLimit) {
    const Occupancy result = occupancy(gpu("hopper"), 256, 0, 255);
    EXPECT_EQ(result.warps, 8u);
    EXPECT_EQ(result.percent, 12.5);
    EXPECT_EQ(result.limit, OccupancyLimit::registers);
    // 32 registers are what 64 warps of 32 lanes can have.
    EXPECT_EQ(occupancy(gpu("hopper"), 256, 0, 32).percent, 100);
    EXPECT_EQ(occupancy(gpu("hopper"), 256, 0, 33).warps, 48u);
}

// A warp's registers lie in one of the SM's four partitions: 16384 / (40 x 32) = 12 warps in each, where
// 65536 / 1280 would be 51. Blocks of one warp show it. A P100 has two partitions: 25 in each.
TEST(Occupancy, RegistersAreThoseOfAPartition) {
    EXPECT_EQ(occupancy(gpu("volta"), 64, 0, 40).warps, 48u);
    EXPECT_EQ(occupancy(gpu("pascal"), 64, 0, 40).warps, 50u);
    // Fermi: 63 x 32 = 2016 registers, in units of 64 that is 2048; 16384 / 2048 = 8 warps in each of two.
    EXPECT_EQ(occupancy(gpu("fermi"), 64, 0, 63).warps, 16u);
}

// Fermi's warps take registers in units of 64: 25 x 32 = 800 are 832, 19 warps in each of two partitions, 38.
// One block of 20 warps fits, of 19 two. (Units of 32 would give 40 warps, of 128 36.)
TEST(Occupancy, RegistersComeInUnits) {
    EXPECT_EQ(occupancy(gpu("fermi"), 640, 0, 25).blocks, 1u);
    EXPECT_EQ(occupancy(gpu("fermi"), 608, 0, 25).blocks, 2u);
    // Since Kepler in units of 256: 33 x 32 = 1056 are 1280, 12 warps in each of four.
    EXPECT_EQ(occupancy(gpu("kepler"), 128, 0, 33).warps, 48u);
    EXPECT_EQ(occupancy(gpu("ampere"), 128, 0, 33).warps, 48u);
}

// 164 KB of an A100: seven blocks of 20 KB with 1 KB each for the system, not eight.
TEST(Occupancy, TheSystemsShareOfAmpere) {
    EXPECT_EQ(occupancy(gpu("ampere"), 128, 20 * 1024).blocks, 7u);
    EXPECT_EQ(occupancy(gpu("ampere"), 128, 163 * 1024).blocks, 1u);
}

// From compute capability 8.0 on each block takes 1 KiB for the system: 228 KB hold two blocks of
// 113 KB, but not two of 114.
TEST(Occupancy, TheSystemTakesOneKilobyteABlock) {
    EXPECT_EQ(occupancy(gpu("hopper"), 128, 113 * 1024).blocks, 2u);
    EXPECT_EQ(occupancy(gpu("hopper"), 128, 114 * 1024).blocks, 1u);
    EXPECT_EQ(occupancy(gpu("volta"), 128, 48 * 1024).blocks, 2u);
}

TEST(Occupancy, OddBlocksRoundUpToWarps) {
    // 48 threads are 2 warps; 32 blocks at most on Hopper: 64 warps.
    EXPECT_EQ(occupancy(gpu("hopper"), 48, 0).warps, 64u);
    EXPECT_EQ(occupancy(gpu("turing"), 1, 0).warps, 16u);
}

// What is left for the L1. An H200 has 256 KB: without shared memory two blocks of 1024 threads take
// the system's 2 KB, and the smallest carve-out of at least that is 8 KB.
TEST(L1Size, IsWhatTheCarveOutLeaves) {
    EXPECT_EQ(l1_bytes(gpu("hopper"), 1024, 0), 248u * 1024);
    EXPECT_EQ(l1_bytes(gpu("hopper"), 1024, 48 * 1024), (256u - 100) * 1024);
    EXPECT_EQ(l1_bytes(gpu("volta"), 1024, 0), 128u * 1024);
    EXPECT_EQ(l1_bytes(gpu("fermi"), 256, 0), 16u * 1024);
    EXPECT_EQ(l1_bytes(gpu("pascal"), 256, 0), 24u * 1024);
}

}  // namespace
