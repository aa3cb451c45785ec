// The SIMT core runs what nvcc emits as a GPU does, and counts what each access costs. Every expected
// count is derived beside it from the rules: a warp request costs its distinct 32-byte sectors; a shared
// access one wavefront for each distinct word in the worst bank.
#include <algorithm>

#include "simt_fixture.hpp"

namespace {

using namespace simt_test;
using emulator::simt::Fault;
using emulator::simt::FaultKind;

class SimtKernels : public testing::Test {
  protected:
    static Machine& machine() {
        static Machine machine(contents_of(LAB_KERNELS_PTX));
        return machine;
    }
    template <class... Arguments>
    static LaunchRecord run(const std::string& kernel, const LaunchShape& shape,
                            Arguments... arguments) {
        return machine().launch(kernel, shape, arguments...);
    }

    // Counters of copy_strided over one warp, after checking what it copied.
    template <class T>
    static LaunchRecord strided(const std::string& type, int load_stride, int load_offset = 0,
                                int store_stride = 1, unsigned threads = 32) {
        std::vector<T> in(64 * 40 + 200);
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(i % 100);
        const Array<T> from(in);
        const Array<T> to(64 * 40);
        LaunchRecord record = run("copy_strided_" + type, shape(1, threads), from.get(), to.get(),
                                  load_stride, load_offset, store_stride);
        const auto out = to.to_host();
        for (unsigned i = 0; i < threads; ++i) {
            EXPECT_EQ(out[i * store_stride], in[i * load_stride + load_offset]);
        }
        return record;
    }
    static LaunchRecord floats(int load_stride, int load_offset = 0, int store_stride = 1,
                               unsigned threads = 32) {
        return strided<float>("float", load_stride, load_offset, store_stride, threads);
    }
};

// ---- global memory ---------------------------------------------------------------------------

// 32 lanes x 4 bytes from offset 0: bytes 0...127, sectors 0...3, line 0.
// Offset 11: bytes 44...171, sectors 1...5, lines 0 and 1.
// Offset 128: bytes 512...639, sectors 16...19, line 4.
TEST_F(SimtKernels, OffsetLoadsTakeFourFiveFourSectors) {
    const auto aligned = floats(1, 0);
    EXPECT_EQ(aligned.loads.requests, 1u);
    EXPECT_EQ(aligned.loads.sectors, 4u);
    EXPECT_EQ(aligned.loads.lines, 1u);
    const auto offset_11 = floats(1, 11);
    EXPECT_EQ(offset_11.loads.sectors, 5u);
    EXPECT_EQ(offset_11.loads.lines, 2u);
    EXPECT_EQ(offset_11.stores.sectors, 4u);
    const auto offset_128 = floats(1, 128);
    EXPECT_EQ(offset_128.loads.sectors, 4u);
    EXPECT_EQ(offset_128.loads.lines, 1u);
}

// Stride 2: 256 bytes, 8 sectors, 2 lines. Stride 3: lanes at 0, 12, ... 372, the last byte is 375:
// every sector up to 11 is touched, so 12. Stride 8: one lane a sector. Stride 32: likewise.
TEST_F(SimtKernels, StridedLoads) {
    EXPECT_EQ(floats(2).loads.sectors, 8u);
    EXPECT_EQ(floats(2).loads.lines, 2u);
    EXPECT_EQ(floats(3).loads.sectors, 12u);
    EXPECT_EQ(floats(8).loads.sectors, 32u);
    EXPECT_EQ(floats(8).loads.lines, 8u);
    EXPECT_EQ(floats(32).loads.sectors, 32u);
    EXPECT_EQ(floats(32).loads.lines, 32u);
}

// Stores obey the same rule: stride 2 from one warp touches 8 sectors.
TEST_F(SimtKernels, StridedStores) { EXPECT_EQ(floats(1, 0, 2).stores.sectors, 8u); }

// All lanes read one word: 1 sector, 4 distinct bytes; nvprof's lane count is 128 bytes.
TEST_F(SimtKernels, BroadcastLoadTakesOneSector) {
    const auto record = floats(0, 5);
    EXPECT_EQ(record.loads.sectors, 1u);
    EXPECT_EQ(record.loads.distinct_bytes, 4u);
    EXPECT_EQ(record.loads.lane_bytes, 128u);
}

TEST_F(SimtKernels, ElementSizes) {
    EXPECT_EQ(strided<unsigned char>("char", 1).loads.sectors, 1u);  // 32 bytes
    EXPECT_EQ(strided<short>("short", 1).loads.sectors, 2u);         // 64
    EXPECT_EQ(strided<double>("double", 1).loads.sectors, 8u);       // 256
}

// A vector load is one request: float2 moves 256 bytes, 8 sectors; float4 512 bytes, 16 sectors.
TEST_F(SimtKernels, VectorLoadsAreOneRequest) {
    const auto copy = [](const std::string& type, std::size_t width) {
        const Array<float> from(ramp(64 * width));
        const Array<float> to(64 * width);
        LaunchRecord record =
            run("copy_strided_" + type, shape(1, 32), from.get(), to.get(), 1, 0, 1);
        const auto out = to.to_host();
        for (std::size_t i = 0; i < 32 * width; ++i) EXPECT_EQ(out[i], static_cast<float>(i));
        return record;
    };
    const auto two = copy("float2", 2);
    EXPECT_EQ(two.loads.requests, 1u);
    EXPECT_EQ(two.loads.sectors, 8u);
    const auto four = copy("float4", 4);
    EXPECT_EQ(four.loads.requests, 1u);
    EXPECT_EQ(four.loads.sectors, 16u);
    EXPECT_EQ(four.stores.sectors, 16u);
}

// A permutation within a line changes nothing: 4 sectors.
TEST_F(SimtKernels, PermutedWithinALine) {
    const Array<float> from(ramp(64));
    const Array<float> to(64);
    const auto record = run("copy_permuted", shape(1, 64), from.get(), to.get());
    EXPECT_EQ(record.loads.requests, 2u);
    EXPECT_EQ(record.loads.sectors, 8u);
    EXPECT_EQ(to.to_host()[0], 21.0f);
}

// Odd lanes only: 16 lanes x 4 bytes, but still in every sector; 64 distinct bytes of 128.
TEST_F(SimtKernels, OddLanesStillTouchEverySector) {
    const Array<float> from(ramp(32));
    const Array<float> to(32);
    const auto record = run("copy_odd_lanes", shape(1, 32), from.get(), to.get());
    EXPECT_EQ(record.loads.requests, 1u);
    EXPECT_EQ(record.loads.sectors, 4u);
    EXPECT_EQ(record.loads.distinct_bytes, 64u);
    EXPECT_EQ(to.to_host()[1], 1.0f);
    EXPECT_EQ(to.to_host()[2], 0.0f);
}

// 40 threads: a full warp (4 sectors) and one of 8 lanes (1 sector).
TEST_F(SimtKernels, PartlyFilledWarp) {
    const auto record = floats(1, 0, 1, 40);
    EXPECT_EQ(record.loads.requests, 2u);
    EXPECT_EQ(record.loads.sectors, 5u);
}

// Blocks of 16 x 16: a warp spans two rows of 16 lanes, 64 bytes each, 4000 bytes apart, 4000 = 125 x 32:
// each row covers 2 sectors if it starts on a sector, as all of block (0, 0) do. 8 warps x 4 sectors.
TEST_F(SimtKernels, SixteenWideBlocks) {
    const Array<float> from(ramp(1000 * 16));
    const Array<float> to(1000 * 16);
    const auto record =
        run("copy_rows_2d", shape(Dimensions{1}, Dimensions{16, 16}), from.get(), to.get(), 1000);
    EXPECT_EQ(record.loads.requests, 8u);
    EXPECT_EQ(record.loads.sectors, 32u);
}

// Each lane walks its own row: every one of the 1000 requests of a warp touches 32 rows, 4000 bytes
// apart, so 32 sectors.
TEST_F(SimtKernels, RowSums) {
    constexpr int width = 1000;
    const Array<float> from(ramp(64 * width));
    const Array<float> to(64);
    const auto record = run("row_sums", shape(2, 32), from.get(), to.get(), width);
    EXPECT_EQ(record.loads.requests, 2u * width);
    EXPECT_EQ(record.loads.sectors, 2u * width * 32);
    EXPECT_EQ(record.stores.requests, 2u);
}

// Lane i runs i + 1 times: request k has lanes k...31, all in row k: bytes 4k...127 of a line.
// Sectors: 4 for k < 8, 3 for k < 16, 2 for k < 24, 1 after that; 8 x (4 + 3 + 2 + 1) = 80.
// The store comes once, for all lanes: they have met again.
TEST_F(SimtKernels, LaneDependentTripCounts) {
    const Array<float> from(ramp(32 * 32));
    const Array<float> to(32);
    const auto record = run("lane_dependent_loop", shape(1, 32), from.get(), to.get());
    EXPECT_EQ(record.loads.requests, 32u);
    EXPECT_EQ(record.loads.sectors, 80u);
    EXPECT_EQ(record.stores.requests, 1u);
    // Lane 2: 2 + 34 + 66.
    EXPECT_EQ(to.to_host()[2], 102.0f);
}

TEST_F(SimtKernels, LdgIsALoad) {
    const Array<float> from(ramp(32));
    const Array<float> to(32);
    const auto record = run("load_through_ldg", shape(1, 32), from.get(), to.get());
    EXPECT_EQ(record.loads.requests, 1u);
    EXPECT_EQ(record.loads.sectors, 4u);
    EXPECT_EQ(to.to_host(), ramp(32));
}

TEST_F(SimtKernels, OffsetsOfAnIndexAreScaledWithIt) {
    const Array<float> from(ramp(32));
    const Array<float> to(32);
    run("shifted_index", shape(1, 32), from.get(), to.get());
    const auto values = to.to_host();
    for (int i = 0; i < 32; ++i) EXPECT_EQ(values[i], i % 2 == 0 ? ramp(32)[i] : 0);
}

// ---- indices, votes, shuffles, atomics -------------------------------------------------------

TEST_F(SimtKernels, ThreeDimensionalGridsAndBlocks) {
    const Array<int> out(24 * 30);
    run("index_3d", shape(Dimensions{2, 3, 4}, Dimensions{5, 3, 2}), out.get());
    const auto values = out.to_host();
    for (int i = 0; i < 24 * 30; ++i) EXPECT_EQ(values[i], i / 30 * 1000 + i % 30);
}

TEST_F(SimtKernels, ShufflesSumAWarp) {
    std::vector<int> in(64);
    std::iota(in.begin(), in.end(), 1);
    const Array<int> from(in);
    const Array<int> to(2);
    run("warp_sum", shape(1, 64), from.get(), to.get());
    EXPECT_EQ(to.to_host(), (std::vector<int>{32 * 33 / 2, 32 * 32 + 32 * 33 / 2}));
}

TEST_F(SimtKernels, LanesThatTakeNoPartInAShuffleGiveZero) {
    const Array<int> from(std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8});
    const Array<int> to(1);
    run("sum_of_eight", shape(1, 32), from.get(), to.get());
    EXPECT_EQ(to.to_host()[0], 36);
}

TEST_F(SimtKernels, VotesAndBarrierCounts) {
    std::vector<int> in(64, -1);
    in[0] = in[5] = in[40] = 7;
    const Array<int> from(in);
    const Array<unsigned> to(4);
    run("votes", shape(1, 64), from.get(), to.get());
    EXPECT_EQ(to.to_host(), (std::vector<unsigned>{0b100001, 0, 1, 3}));
}

// None of the three results is read: reductions.
TEST_F(SimtKernels, ReductionsAcrossBlocks) {
    std::vector<int> in(4096);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i % 4);
    const Array<int> from(in);
    const Array<int> bins(5);
    const Array<float> total(1);
    const auto record = run("histogram", shape(16, 256), from.get(), bins.get(), total.get());
    EXPECT_EQ(bins.to_host(), (std::vector<int>{1024, 1024, 1024, 1024, 3}));
    EXPECT_EQ(total.to_host()[0], 4096.0f);
    EXPECT_EQ(record.reductions.requests, 3u * 4096 / 32);
    EXPECT_EQ(record.atomics.requests, 0u);
}

// LDS, FADD and ATOMS.CAST.SPIN until every lane has swapped: with 8 words four tries of a warp. The last load is that
// of the result and of the count.
TEST_F(SimtKernels, FloatsInSharedMemoryAreAddedInALoop) {
    const Array<float> out(32);
    const auto record = run("add_in_shared", shape(1, 32), out.get(), 8);
    EXPECT_EQ(out.to_host(), std::vector<float>([] {
                  std::vector<float> sums(32, 32.0f);
                  std::fill_n(sums.begin(), 8, 36.0f);
                  return sums;
              }()));
    EXPECT_EQ(record.shared_loads.requests, 4u + 2u);
    EXPECT_EQ(record.shared_loads.wavefronts, 4u + 2u);
    EXPECT_EQ(record.shared_atomics.requests, 4u + 1u);
    EXPECT_EQ(record.shared_atomics.wavefronts, 4u * 2u + 1u);
    EXPECT_EQ(record.shared_atomics.bank_conflicts, 0u);
}

// Before Maxwell lanes of one word go one after another.
TEST(Kepler, LanesThatCountInOneWordOfSharedMemoryAreSerialised) {
    Machine machine(contents_of(LAB_KERNELS_PTX), "kepler");
    const Array<float> out(32);
    const auto record = machine.launch("add_in_shared", shape(1, 32), out.get(), 8);
    EXPECT_EQ(out.to_host()[0], 36.0f);
    EXPECT_EQ(record.shared_atomics.wavefronts, 4u + 32u);
}

// Words 6 apart meet in banks of 4 bytes, and not in those of 8. The mode is that of each launch.
TEST(Kepler, BanksAreInTheModeOfTheLaunch) {
    Machine machine(contents_of(LAB_KERNELS_PTX), "kepler");
    const Array<float> out(32);
    emulator::simt::LaunchShape of_launch = shape(1, 32);
    for (const bool widest : {false, true, false}) {
        of_launch.widest_banks = widest;
        const auto record = machine.launch("shared_stride", of_launch, out.get(), 6);
        EXPECT_EQ(record.shared_loads.wavefronts, widest ? 1u : 2u);
        EXPECT_EQ(record.shared_stores.wavefronts, widest ? 1u : 2u);
    }
}

// Words 0 and 32 go in one pass, words 32 and 64 do not: they lie in different aligned 256 bytes.
TEST(Kepler, PassesDependOnWhereAnAccessBegins) {
    Machine machine(contents_of(LAB_KERNELS_PTX), "kepler");
    const Array<float> out(32);
    for (const int first : {0, 32, 64}) {
        const auto record = machine.launch("shared_stride_from", shape(1, 32), out.get(), 2, first);
        EXPECT_EQ(record.shared_loads.wavefronts, first == 32 ? 2u : 1u) << first;
    }
}

// ---- shared memory ---------------------------------------------------------------------------

// 32 banks of 4 bytes: stride s of words puts gcd(s, 32) lanes in each bank that is used.
TEST_F(SimtKernels, SharedStridesConflictByTheirGcdWith32) {
    const auto wavefronts = [](int stride) {
        const Array<float> out(32);
        const auto record = run("shared_stride", shape(1, 32), out.get(), stride);
        EXPECT_EQ(record.shared_loads.requests, 1u);
        EXPECT_EQ(record.shared_stores.wavefronts, record.shared_loads.wavefronts);
        EXPECT_EQ(out.to_host()[31], 31.0f);
        return record.shared_loads.wavefronts;
    };
    EXPECT_EQ(wavefronts(1), 1u);
    EXPECT_EQ(wavefronts(2), 2u);
    EXPECT_EQ(wavefronts(3), 1u);
    EXPECT_EQ(wavefronts(4), 4u);
    EXPECT_EQ(wavefronts(8), 8u);
    EXPECT_EQ(wavefronts(17), 1u);
    EXPECT_EQ(wavefronts(32), 32u);
    EXPECT_EQ(wavefronts(33), 1u);
}

// 32 doubles are 64 words, two for each bank: 2 wavefronts.
TEST_F(SimtKernels, SharedDoublesTakeTwoWavefronts) {
    const Array<double> out(32);
    const auto record = run("shared_stride_double", shape(1, 32), out.get(), 1);
    EXPECT_EQ(record.shared_loads.wavefronts, 2u);
}

// Reading a column of a 32 x 32 tile: all lanes of a warp in one bank, 32 wavefronts for each of 32
// warps. One word of padding a row shifts every row by a bank: 1 wavefront each.
TEST_F(SimtKernels, PaddingRemovesTheColumnsConflicts) {
    const auto in = ramp(1024);
    const Array<float> from(in);
    const Array<float> to(1024);
    const LaunchShape square = shape(Dimensions{1}, Dimensions{32, 32});
    const auto unpadded = run("transpose_unpadded", square, from.get(), to.get());
    EXPECT_EQ(unpadded.shared_loads.wavefronts, 32u * 32);
    EXPECT_EQ(unpadded.shared_loads.bank_conflicts, 31u * 32);
    EXPECT_EQ(to.to_host()[1], in[32]);
    const auto padded = run("transpose_padded", square, from.get(), to.get());
    EXPECT_EQ(padded.shared_loads.wavefronts, 32u);
    EXPECT_EQ(padded.shared_stores.wavefronts, 32u);
    EXPECT_EQ(to.to_host()[1], in[32]);
}

TEST_F(SimtKernels, DynamicSharedMemory) {
    const Array<float> values(ramp(100));
    run("reverse_dynamic", shape(1, 100, 100 * sizeof(float)), values.get());
    EXPECT_EQ(values.to_host()[0], 99.0f);
    EXPECT_EQ(values.to_host()[99], 0.0f);
}

// ---- calls, local memory, printf -------------------------------------------------------------

TEST_F(SimtKernels, RecursionThroughFunctionPointers) {
    const Array<int> out(32);
    run("call_functions", shape(1, 32), out.get());
    const int factorials[] = {1, 1, 2, 6, 24, 120, 720, 5040};
    for (int i = 0; i < 32; ++i) {
        EXPECT_EQ(out.to_host()[i], i % 2 == 0 ? factorials[i % 8] : (i % 8) * (i % 8)) << i;
    }
}

TEST_F(SimtKernels, PrintsLanesInTheirOrder) {
    const auto record = run("print_lanes", shape(2, 32), 2);
    EXPECT_EQ(record.printed,
              "lane 0 of block 0: 0.00 text\nlane 1 of block 0: 0.50 text\n"
              "lane 0 of block 1: 0.00 text\nlane 1 of block 1: 0.50 text\n");
}

// values[i] = i n; lane t sums values[t ... t + n - 1], indices modulo 16: for n = 3, lane 15 has
// 3 (15 + 0 + 1).
TEST_F(SimtKernels, LocalArrays) {
    const Array<int> out(32);
    const auto record = run("use_local", shape(1, 32), out.get(), 3);
    EXPECT_EQ(out.to_host()[0], 3 * (0 + 1 + 2));
    EXPECT_EQ(out.to_host()[15], 3 * (15 + 0 + 1));
    EXPECT_EQ(record.local_loads.requests, 3u);
}

// ---- progress --------------------------------------------------------------------------------

TEST_F(SimtKernels, LocksWithinAWarpBetweenWarpsAndBetweenBlocks) {
    for (const auto& [grid, block] :
         {std::pair(1u, 32u), std::pair(1u, 256u), std::pair(8u, 64u)}) {
        const Array<int> lock(1), value(1);
        run("spin_lock", shape(grid, block), lock.get(), value.get());
        EXPECT_EQ(value.to_host()[0], static_cast<int>(grid * block));
    }
}

// Block 0 runs first and waits for block 1, and so on: all are resident at a time.
TEST_F(SimtKernels, BlocksThatWaitForLaterOnes) {
    constexpr unsigned blocks = 40;
    const Array<int> flags(blocks), order(blocks);
    run("chain_of_blocks", shape(blocks, 64), flags.get(), order.get());
    for (unsigned i = 0; i < blocks; ++i)
        EXPECT_EQ(order.to_host()[i], static_cast<int>(blocks - 1 - i));
}

TEST_F(SimtKernels, GridSync) {
    constexpr unsigned n = 16 * 128;
    const Array<int> values(n), sums(n);
    LaunchShape cooperative = shape(16, 128);
    cooperative.cooperative = true;
    run("grid_sync", cooperative, values.get(), sums.get());
    for (const int sum : sums.to_host()) EXPECT_EQ(sum, static_cast<int>(n - 1));
}

// ---- faults ----------------------------------------------------------------------------------

std::string fault_of(auto&& launch) {
    try {
        launch();
    } catch (const Fault& fault) {
        return fault.what();
    }
    return "no fault";
}

TEST_F(SimtKernels, ReadPastTheEndNamesKernelBlockThreadAndLine) {
    const Array<float> from(40);
    const Array<float> to(64);
    const std::string what =
        fault_of([&] { run("copy_permuted", shape(2, 32), from.get(), to.get()); });
    // Lane i of block 1 reads 32 + (i ^ 21): for lane 0 that is 53, which has 13 floats between it and the array.
    EXPECT_NE(what.find("kernel copy_permuted, block (1,0,0), thread (0,0,0): simt_kernels.cu:"),
              std::string::npos)
        << what;
    EXPECT_NE(what.find("reads 4 bytes 52 bytes past the end of an allocation of 160 bytes"),
              std::string::npos)
        << what;
}

TEST_F(SimtKernels, WritePastTheEndIsStoppedBeforeItHappens) {
    const Array<float> from(64);
    const Array<float> to(33);
    const std::string what =
        fault_of([&] { run("copy_permuted", shape(2, 32), from.get(), to.get()); });
    EXPECT_NE(what.find("block (1,0,0), thread (1,0,0)"), std::string::npos) << what;
    EXPECT_NE(what.find("writes 4 bytes at byte 132 of an allocation of 132 bytes"),
              std::string::npos)
        << what;
}

TEST_F(SimtKernels, ReadPastSharedMemory) {
    const Array<float> to(32);
    const std::string what =
        fault_of([&] { run("read_past_static_shared", shape(1, 32), to.get(), 1); });
    EXPECT_NE(what.find("thread (31,0,0)"), std::string::npos) << what;
    EXPECT_NE(what.find("128 bytes of shared memory"), std::string::npos) << what;
}

TEST_F(SimtKernels, DynamicSharedMemoryEndsWhereTheLaunchSays) {
    const Array<float> values(100);
    const std::string what =
        fault_of([&] { run("reverse_dynamic", shape(1, 100, 99 * sizeof(float)), values.get()); });
    EXPECT_NE(what.find("thread (99,0,0)"), std::string::npos) << what;
    EXPECT_NE(what.find("396 bytes of shared memory"), std::string::npos) << what;
}

TEST_F(SimtKernels, HostPointersAreRefused) {
    std::vector<float> host(32);
    const Array<float> to(32);
    const std::string what =
        fault_of([&] { run("copy_permuted", shape(1, 32), host.data(), to.get()); });
    EXPECT_NE(what.find("memory of the host"), std::string::npos) << what;
}

TEST_F(SimtKernels, MisalignedAddressesAreRefused) {
    const Array<float> from(64), to(64);
    const auto* const misaligned = reinterpret_cast<const char*>(from.get()) + 4;
    const std::string what =
        fault_of([&] { run("copy_strided_double", shape(1, 8), misaligned, to.get(), 1, 0, 1); });
    EXPECT_NE(what.find("misaligned address"), std::string::npos) << what;
}

TEST_F(SimtKernels, TheGpuWorksOnAfterAFault) {
    const Array<float> to(32);
    fault_of([&] { run("read_past_static_shared", shape(1, 32), to.get(), 1); });
    EXPECT_EQ(floats(1, 11).loads.sectors, 5u);
}

}  // namespace
