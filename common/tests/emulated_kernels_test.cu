// The emulated GPU runs CUDA C++ as a GPU does, and counts what each access costs. Every expected
// count is derived beside it from the rules: a warp request costs its distinct 32-byte sectors
// (128-byte lines on Fermi); a shared access one wavefront for each distinct word in the worst bank.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "emulator/emulated_launch.hpp"
#include "emulator/fault.hpp"
#include "lab/device_buffer.hpp"
#include "lab/launch.hpp"

namespace {

using emulator::LaunchCounters;

// ---- kernels ---------------------------------------------------------------------------------

template <class T>
__global__ void copy_strided(const T* in, T* out, int load_stride, int load_offset, int store_stride) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * store_stride] = in[i * load_stride + load_offset];
}

__global__ void copy_permuted(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i ^ 21];  // permutes the lanes of each warp
}

__global__ void copy_odd_lanes(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2 == 1) out[i] = in[i];
}

__global__ void copy_rows_2d(const float* in, float* out, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * width + x] = in[y * width + x];
}

__global__ void index_3d(int* out) {
    const int in_block = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    out[block * blockDim.x * blockDim.y * blockDim.z + in_block] = block * 1000 + in_block;
}

template <class T>
__global__ void shared_stride(T* out, int stride) {
    __shared__ T words[32 * 33];
    words[threadIdx.x * stride] = T(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x * stride];
}

template <int padding>
__global__ void transpose_in_shared(const float* in, float* out) {
    __shared__ float tile[32][32 + padding];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void reverse_dynamic(float* values) {
    extern __shared__ float staged[];
    staged[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = staged[blockDim.x - 1 - threadIdx.x];
}

__global__ void read_past_static_shared(float* out) {
    __shared__ float words[32];
    words[threadIdx.x] = 1;
    out[threadIdx.x] = words[threadIdx.x + 1];
}

__global__ void load_through_ldg(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __ldg(&in[i]);
}

__global__ void row_sums(const float* in, float* out, int width) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < width; ++k) sum += in[row * width + k];
    out[row] = sum;
}

__global__ void lane_dependent_loop(const float* in, float* out) {
    float sum = 0;
    for (unsigned k = 0; k <= threadIdx.x; ++k) sum += in[k * 32 + threadIdx.x];
    out[threadIdx.x] = sum;
}

__global__ void warp_sum(const int* in, int* out) {
    int sum = in[threadIdx.x];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = sum;
}

__global__ void votes(const int* in, unsigned* out) {
    const int value = in[threadIdx.x];
    const unsigned ballot = __ballot_sync(0xffffffffu, value > 0);
    const int any = __any_sync(0xffffffffu, value > 100);
    const int all = __all_sync(0xffffffffu, value > -100);
    const int count = __syncthreads_count(value > 0);
    if (threadIdx.x == 0) {
        out[0] = ballot;
        out[1] = any;
        out[2] = all;
        out[3] = count;
    }
}

__global__ void histogram(const int* in, int* bins, float* total) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[in[i]], 1);
    atomicAdd(total, 1.0f);
    atomicMax(&bins[4], in[i]);
}

struct Triple {
    float x, y, z;
};

__global__ void copy_structures(const Triple* in, Triple* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

// ---- running them ----------------------------------------------------------------------------

std::vector<float> ramp(std::size_t n) {
    std::vector<float> values(n);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
}

class EmulatedKernels : public testing::Test {
  protected:
    void SetUp() override { (void)emulator::take_counters(); }

    // Counters of copy_strided over one warp, after checking what it copied.
    template <class T>
    static LaunchCounters strided(int load_stride, int load_offset = 0, int store_stride = 1,
                                  unsigned threads = 32) {
        std::vector<T> in(64 * 40 + 200);
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(i % 100);
        const lab::DeviceBuffer<T> from{std::span<const T>(in)};
        lab::DeviceBuffer<T> to(64 * 40);
        lab::launch(copy_strided<T>, 1, threads)(from.get(), to.get(), load_stride, load_offset,
                                                 store_stride);
        const auto out = to.to_host();
        for (unsigned i = 0; i < threads; ++i) {
            EXPECT_EQ(out[i * store_stride], in[i * load_stride + load_offset]);
        }
        return emulator::take_counters();
    }
};

// ---- global memory ---------------------------------------------------------------------------

// 32 lanes x 4 bytes from offset 0: bytes 0...127, sectors 0...3, line 0.
// Offset 11: bytes 44...171, sectors 1...5, lines 0 and 1.
// Offset 128: bytes 512...639, sectors 16...19, line 4.
TEST_F(EmulatedKernels, OffsetLoadsTakeFourFiveFourSectors) {
    const auto aligned = strided<float>(1, 0);
    EXPECT_EQ(aligned.loads.requests, 1u);
    EXPECT_EQ(aligned.loads.sectors, 4u);
    EXPECT_EQ(aligned.loads.lines, 1u);
    const auto offset_11 = strided<float>(1, 11);
    EXPECT_EQ(offset_11.loads.sectors, 5u);
    EXPECT_EQ(offset_11.loads.lines, 2u);
    EXPECT_EQ(offset_11.stores.sectors, 4u);
    const auto offset_128 = strided<float>(1, 128);
    EXPECT_EQ(offset_128.loads.sectors, 4u);
    EXPECT_EQ(offset_128.loads.lines, 1u);
}

// Stride 2: 256 bytes, 8 sectors, 2 lines. Stride 3: lanes at 0, 12, ... 372, the last byte is 375:
// every sector up to 11 is touched, so 12. Stride 8: one lane a sector. Stride 32: likewise.
TEST_F(EmulatedKernels, StridedLoads) {
    EXPECT_EQ(strided<float>(2).loads.sectors, 8u);
    EXPECT_EQ(strided<float>(2).loads.lines, 2u);
    EXPECT_EQ(strided<float>(3).loads.sectors, 12u);
    EXPECT_EQ(strided<float>(8).loads.sectors, 32u);
    EXPECT_EQ(strided<float>(8).loads.lines, 8u);
    EXPECT_EQ(strided<float>(32).loads.sectors, 32u);
    EXPECT_EQ(strided<float>(32).loads.lines, 32u);
}

// Stores obey the same rule: stride 2 from one warp touches 8 sectors.
TEST_F(EmulatedKernels, StridedStores) { EXPECT_EQ(strided<float>(1, 0, 2).stores.sectors, 8u); }

// All lanes read one word: 1 sector, 4 distinct bytes; nvprof's lane count is 128 bytes.
TEST_F(EmulatedKernels, BroadcastLoadTakesOneSector) {
    const auto counters = strided<float>(0, 5);
    EXPECT_EQ(counters.loads.sectors, 1u);
    EXPECT_EQ(counters.loads.distinct_bytes, 4u);
    EXPECT_EQ(counters.loads.lane_bytes, 128u);
}

TEST_F(EmulatedKernels, ElementSizes) {
    EXPECT_EQ(strided<unsigned char>(1).loads.sectors, 1u);   // 32 bytes
    EXPECT_EQ(strided<short>(1).loads.sectors, 2u);           // 64
    EXPECT_EQ(strided<double>(1).loads.sectors, 8u);          // 256
    EXPECT_EQ(strided<double>(1).loads.requests, 1u);
    EXPECT_EQ(strided<unsigned char>(1, 11).loads.sectors, 2u);  // bytes 11...42
}

template <class Vector>
LaunchCounters copied_vectors() {
    const lab::DeviceBuffer<Vector> from(64);
    lab::DeviceBuffer<Vector> to(64);
    lab::launch(copy_strided<Vector>, 1, 32)(from.get(), to.get(), 1, 0, 1);
    return emulator::take_counters();
}

// A vector load is one request: float2 moves 256 bytes, 8 sectors; float4 512 bytes, 16 sectors.
TEST_F(EmulatedKernels, VectorLoadsAreOneRequest) {
    const auto two = copied_vectors<float2>();
    EXPECT_EQ(two.loads.requests, 1u);
    EXPECT_EQ(two.loads.sectors, 8u);
    const auto four = copied_vectors<float4>();
    EXPECT_EQ(four.loads.requests, 1u);
    EXPECT_EQ(four.loads.sectors, 16u);
    EXPECT_EQ(four.stores.sectors, 16u);
}

// 12 bytes with 4-byte alignment: three 4-byte requests a warp, each of stride 12: lanes at
// 0, 12, ... 372 (+ 4, + 8), so 12 sectors each (as stride 3 above).
TEST_F(EmulatedKernels, StructuresAreAccessedMemberByMember) {
    const lab::DeviceBuffer<Triple> from(32);
    lab::DeviceBuffer<Triple> to(32);
    lab::launch(copy_structures, 1, 32)(from.get(), to.get());
    const auto counters = emulator::take_counters();
    EXPECT_EQ(counters.loads.requests, 3u);
    EXPECT_EQ(counters.loads.sectors, 36u);
    EXPECT_EQ(counters.stores.requests, 3u);
    EXPECT_EQ(counters.stores.sectors, 36u);
}

// A permutation within a line changes nothing: 4 sectors.
TEST_F(EmulatedKernels, PermutedWithinALine) {
    const lab::DeviceBuffer<float> from{std::span<const float>(ramp(64))};
    lab::DeviceBuffer<float> to(64);
    lab::launch(copy_permuted, 1, 64)(from.get(), to.get());
    const auto counters = emulator::take_counters();
    EXPECT_EQ(counters.loads.requests, 2u);
    EXPECT_EQ(counters.loads.sectors, 8u);
    EXPECT_EQ(to.to_host()[0], 21.0f);
}

// Odd lanes only: 16 lanes x 4 bytes, but still in every sector; 64 distinct bytes of 128.
TEST_F(EmulatedKernels, OddLanesStillTouchEverySector) {
    const lab::DeviceBuffer<float> from{std::span<const float>(ramp(32))};
    lab::DeviceBuffer<float> to(32);
    lab::launch(copy_odd_lanes, 1, 32)(from.get(), to.get());
    const auto counters = emulator::take_counters();
    EXPECT_EQ(counters.loads.requests, 1u);
    EXPECT_EQ(counters.loads.sectors, 4u);
    EXPECT_EQ(counters.loads.distinct_bytes, 64u);
}

// 40 threads: a full warp (4 sectors) and one of 8 lanes (1 sector).
TEST_F(EmulatedKernels, PartlyFilledWarp) {
    const auto counters = strided<float>(1, 0, 1, 40);
    EXPECT_EQ(counters.loads.requests, 2u);
    EXPECT_EQ(counters.loads.sectors, 5u);
}

// Blocks of 16 x 16: a warp spans two rows of 16 lanes, 64 bytes each. In a matrix of width 1000 the
// rows lie 4000 bytes apart, 4000 = 125 x 32: each row covers 2 sectors if it starts on a sector, as
// all of block (0, 0) do. 8 warps x 4 sectors. Lines: two a request, 16.
TEST_F(EmulatedKernels, SixteenWideBlocks) {
    const lab::DeviceBuffer<float> from{std::span<const float>(ramp(1000 * 16))};
    lab::DeviceBuffer<float> to(1000 * 16);
    lab::launch(copy_rows_2d, 1, dim3(16, 16))(from.get(), to.get(), 1000);
    const auto counters = emulator::take_counters();
    EXPECT_EQ(counters.loads.requests, 8u);
    EXPECT_EQ(counters.loads.sectors, 32u);
}

// Each lane walks its own row of 128 floats: every one of the 128 requests of a warp touches 32 rows,
// 512 bytes apart, so 32 sectors. Longer than the tracer's window: nothing may be lost there.
TEST_F(EmulatedKernels, RowSumsLongerThanTheWindow) {
    constexpr int width = 1000;
    const lab::DeviceBuffer<float> from{std::span<const float>(ramp(64 * width))};
    lab::DeviceBuffer<float> to(64);
    lab::launch(row_sums, 2, 32)(from.get(), to.get(), width);
    const auto counters = emulator::take_counters();
    EXPECT_EQ(counters.loads.requests, 2u * width);
    EXPECT_EQ(counters.loads.sectors, 2u * width * 32);
    EXPECT_EQ(counters.stores.requests, 2u);
}

// Lane i runs i + 1 times: request k has lanes k...31, all in row k: bytes 4k...127 of a line.
// Sectors: 4 for k < 8, 3 for k < 16, 2 for k < 24, 1 after that; 8 x (4 + 3 + 2 + 1) = 80.
TEST_F(EmulatedKernels, LaneDependentTripCounts) {
    const lab::DeviceBuffer<float> from{std::span<const float>(ramp(32 * 32))};
    lab::DeviceBuffer<float> to(32);
    lab::launch(lane_dependent_loop, 1, 32)(from.get(), to.get());
    const auto counters = emulator::take_counters();
    EXPECT_EQ(counters.loads.requests, 32u);
    EXPECT_EQ(counters.loads.sectors, 80u);
}

TEST_F(EmulatedKernels, LdgIsALoad) {
    const lab::DeviceBuffer<float> from{std::span<const float>(ramp(32))};
    lab::DeviceBuffer<float> to(32);
    lab::launch(load_through_ldg, 1, 32)(from.get(), to.get());
    const auto counters = emulator::take_counters();
    EXPECT_EQ(counters.loads.requests, 1u);
    EXPECT_EQ(counters.loads.sectors, 4u);
    EXPECT_EQ(to.to_host(), ramp(32));
}

// ---- indices, votes, shuffles, atomics -------------------------------------------------------

TEST_F(EmulatedKernels, ThreeDimensionalGridsAndBlocks) {
    lab::DeviceBuffer<int> out(24 * 30);
    lab::launch(index_3d, dim3(2, 3, 4), dim3(5, 3, 2))(out.get());
    const auto values = out.to_host();
    for (int i = 0; i < 24 * 30; ++i) EXPECT_EQ(values[i], i / 30 * 1000 + i % 30);
}

TEST_F(EmulatedKernels, ShufflesSumAWarp) {
    std::vector<int> in(64);
    std::iota(in.begin(), in.end(), 1);
    const lab::DeviceBuffer<int> from{std::span<const int>(in)};
    lab::DeviceBuffer<int> to(2);
    lab::launch(warp_sum, 1, 64)(from.get(), to.get());
    EXPECT_EQ(to.to_host(), (std::vector<int>{32 * 33 / 2, 32 * 32 + 32 * 33 / 2}));
}

TEST_F(EmulatedKernels, VotesAndBarrierCounts) {
    std::vector<int> in(64, -1);
    in[0] = in[5] = in[40] = 7;
    const lab::DeviceBuffer<int> from{std::span<const int>(in)};
    lab::DeviceBuffer<unsigned> to(4);
    lab::launch(votes, 1, 64)(from.get(), to.get());
    EXPECT_EQ(to.to_host(), (std::vector<unsigned>{0b100001, 0, 1, 3}));
}

TEST_F(EmulatedKernels, AtomicsAcrossBlocks) {
    std::vector<int> in(4096);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i % 4);
    const lab::DeviceBuffer<int> from{std::span<const int>(in)};
    lab::DeviceBuffer<int> bins{std::span<const int>(std::vector<int>(5))};
    lab::DeviceBuffer<float> total{std::span<const float>(std::vector<float>(1))};
    lab::launch(histogram, 16, 256)(from.get(), bins.get(), total.get());
    EXPECT_EQ(bins.to_host(), (std::vector<int>{1024, 1024, 1024, 1024, 3}));
    EXPECT_EQ(total.to_host()[0], 4096.0f);
    EXPECT_EQ(emulator::take_counters().atomics.requests, 3u * 4096 / 32);
}

// ---- shared memory ---------------------------------------------------------------------------

template <class T>
std::uint64_t shared_wavefronts(int stride) {
    lab::DeviceBuffer<T> out(32);
    (void)emulator::take_counters();
    lab::launch(shared_stride<T>, 1, 32)(out.get(), stride);
    const auto counters = emulator::take_counters();
    EXPECT_EQ(counters.shared_loads.requests, 1u);
    EXPECT_EQ(counters.shared_stores.wavefronts, counters.shared_loads.wavefronts);
    EXPECT_EQ(out.to_host()[31], stride == 0 ? out.to_host()[0] : T(31));
    return counters.shared_loads.wavefronts;
}

// 32 banks of 4 bytes: stride s of words puts gcd(s, 32) lanes in each bank that is used.
TEST_F(EmulatedKernels, SharedStridesConflictByTheirGcdWith32) {
    EXPECT_EQ(shared_wavefronts<float>(1), 1u);
    EXPECT_EQ(shared_wavefronts<float>(2), 2u);
    EXPECT_EQ(shared_wavefronts<float>(3), 1u);
    EXPECT_EQ(shared_wavefronts<float>(4), 4u);
    EXPECT_EQ(shared_wavefronts<float>(8), 8u);
    EXPECT_EQ(shared_wavefronts<float>(17), 1u);
    EXPECT_EQ(shared_wavefronts<float>(32), 32u);
    EXPECT_EQ(shared_wavefronts<float>(33), 1u);
}

// 32 doubles are 64 words, two for each bank: 2 wavefronts.
TEST_F(EmulatedKernels, SharedDoublesTakeTwoWavefronts) { EXPECT_EQ(shared_wavefronts<double>(1), 2u); }

// Reading a column of a 32 x 32 tile: all lanes of a warp in one bank, 32 wavefronts for each of 32
// warps. One word of padding a row shifts every row by a bank: 1 wavefront each.
TEST_F(EmulatedKernels, PaddingRemovesTheColumnsConflicts) {
    const auto in = ramp(1024);
    const lab::DeviceBuffer<float> from{std::span<const float>(in)};
    lab::DeviceBuffer<float> to(1024);
    lab::launch(transpose_in_shared<0>, 1, dim3(32, 32))(from.get(), to.get());
    EXPECT_EQ(emulator::take_counters().shared_loads.wavefronts, 32u * 32);
    EXPECT_EQ(to.to_host()[1], in[32]);
    lab::launch(transpose_in_shared<1>, 1, dim3(32, 32))(from.get(), to.get());
    const auto padded = emulator::take_counters();
    EXPECT_EQ(padded.shared_loads.wavefronts, 32u);
    EXPECT_EQ(padded.shared_stores.wavefronts, 32u);
    EXPECT_EQ(to.to_host()[1], in[32]);
}

TEST_F(EmulatedKernels, DynamicSharedMemory) {
    lab::DeviceBuffer<float> values{std::span<const float>(ramp(100))};
    lab::launch(reverse_dynamic, 1, 100, 100 * sizeof(float))(values.get());
    EXPECT_EQ(values.to_host()[0], 99.0f);
    EXPECT_EQ(values.to_host()[99], 0.0f);
}

// ---- faults ----------------------------------------------------------------------------------

std::string fault_of(auto&& launch) {
    try {
        launch();
    } catch (const emulator::Fault& fault) {
        return fault.what();
    }
    return "no fault";
}

TEST_F(EmulatedKernels, ReadPastTheEndNamesKernelBlockThreadAndLine) {
    const lab::DeviceBuffer<float> from(40);
    lab::DeviceBuffer<float> to(64);
    const std::string what = fault_of(
        [&] { lab::launch(copy_permuted, 2, 32)(from.get(), to.get()); });
    // Lane i of block 1 reads 32 + (i ^ 21): for lane 0 that is 53, the 14th float past 40.
    EXPECT_NE(what.find("copy_permuted"), std::string::npos) << what;
    EXPECT_NE(what.find("block (1,0,0), thread (0,0,0)"), std::string::npos) << what;
    EXPECT_NE(what.find("emulated_kernels_test.cu:29 reads 4 bytes 56 bytes past the end of an "
                        "allocation of 160 bytes"),
              std::string::npos)
        << what;
}

TEST_F(EmulatedKernels, WritePastTheEndIsStoppedBeforeItHappens) {
    const lab::DeviceBuffer<float> from(64);
    lab::DeviceBuffer<float> to(33);
    const std::string what =
        fault_of([&] { lab::launch(copy_permuted, 2, 32)(from.get(), to.get()); });
    EXPECT_NE(what.find("block (1,0,0), thread (1,0,0)"), std::string::npos) << what;
    EXPECT_NE(what.find("writes 4 bytes 4 bytes past the end"), std::string::npos) << what;
}

TEST_F(EmulatedKernels, ReadPastSharedMemory) {
    lab::DeviceBuffer<float> to(32);
    const std::string what = fault_of([&] { lab::launch(read_past_static_shared, 1, 32)(to.get()); });
    EXPECT_NE(what.find("thread (31,0,0)"), std::string::npos) << what;
    EXPECT_NE(what.find("words of 128 bytes"), std::string::npos) << what;
}

TEST_F(EmulatedKernels, DynamicSharedMemoryEndsWhereTheLaunchSays) {
    lab::DeviceBuffer<float> values(100);
    const std::string what = fault_of(
        [&] { lab::launch(reverse_dynamic, 1, 100, 99 * sizeof(float))(values.get()); });
    EXPECT_NE(what.find("thread (99,0,0)"), std::string::npos) << what;
    EXPECT_NE(what.find("staged of 396 bytes"), std::string::npos) << what;
}

TEST_F(EmulatedKernels, HostPointersAreRefused) {
    std::vector<float> host(32);
    lab::DeviceBuffer<float> to(32);
    const std::string what =
        fault_of([&] { lab::launch(copy_permuted, 1, 32)(host.data(), to.get()); });
    EXPECT_NE(what.find("memory of the host"), std::string::npos) << what;
}

TEST_F(EmulatedKernels, MisalignedAddressesAreRefused) {
    const lab::DeviceBuffer<float> from(64);
    lab::DeviceBuffer<float> to(64);
    const auto* const misaligned =
        reinterpret_cast<const double*>(reinterpret_cast<const char*>(from.get()) + 4);
    const std::string what = fault_of([&] {
        lab::launch(copy_strided<double>, 1, 8)(misaligned, reinterpret_cast<double*>(to.get()), 1, 0, 1);
    });
    EXPECT_NE(what.find("misaligned address"), std::string::npos) << what;
}

TEST_F(EmulatedKernels, TheGpuWorksOnAfterAFault) {
    lab::DeviceBuffer<float> to(32);
    fault_of([&] { lab::launch(read_past_static_shared, 1, 32)(to.get()); });
    (void)emulator::take_counters();
    EXPECT_EQ(strided<float>(1, 11).loads.sectors, 5u);
}

TEST_F(EmulatedKernels, ImpossibleLaunchesAreRefused) {
    lab::DeviceBuffer<float> to(32);
    EXPECT_THROW(lab::launch(read_past_static_shared, 1, 1025)(to.get()), emulator::InvalidLaunch);
    EXPECT_THROW(lab::launch(read_past_static_shared, 0, 32)(to.get()), emulator::InvalidLaunch);
    EXPECT_THROW(lab::launch(read_past_static_shared, 1, 32, 300000)(to.get()),
                 emulator::InvalidLaunch);
}

// ---- independence ----------------------------------------------------------------------------

// Everything that a launch counts, as numbers to compare.
std::vector<std::uint64_t> all_counts(const LaunchCounters& counters) {
    std::vector<std::uint64_t> numbers;
    const auto append = [&](const emulator::AccessCounters& access) {
        for (const std::uint64_t number :
             {access.requests, access.sectors, access.lines, access.distinct_bytes, access.lane_bytes,
              access.moved_bytes, access.l1_hit_sectors, access.wavefronts, access.bank_conflicts}) {
            numbers.push_back(number);
        }
    };
    for (const auto& access : {counters.loads, counters.stores, counters.shared_loads, counters.shared_stores}) {
        append(access);
    }
    for (const auto& site : counters.sites) append(site.counters);
    numbers.insert(numbers.end(), {counters.memory.l1_hit_sectors, counters.memory.l2_read_sectors_most,
                                   counters.memory.l2_write_sectors_most, counters.l2_read_sectors_least,
                                   counters.l2_write_sectors_least,
                                   counters.dram_read_bytes});
    return numbers;
}

// Blocks that straddle sectors share them; many more blocks than SMs; rows summed in windows.
std::vector<std::uint64_t> counts_with(unsigned workers) {
    auto gpu = std::make_unique<emulator::Gpu>(*emulator::find_architecture("hopper"), workers);
    gpu->model_caches(true);
    emulator::set_current_gpu(std::move(gpu));
    const lab::DeviceBuffer<float> from(1 << 17);
    lab::DeviceBuffer<float> to(1 << 17);
    lab::launch(copy_rows_2d, dim3(8, 100), dim3(16, 5))(from.get(), to.get(), 131);
    lab::launch(row_sums, 10, 96)(from.get(), to.get(), 100);
    lab::launch(transpose_in_shared<0>, 1, dim3(32, 32))(from.get(), to.get());
    const auto counts = all_counts(emulator::take_counters());
    emulator::set_current_gpu(nullptr);
    return counts;
}

TEST_F(EmulatedKernels, CountsDoNotDependOnTheNumberOfWorkersNorOnTheRun) {
    const auto one = counts_with(1);
    EXPECT_EQ(one, counts_with(1));
    EXPECT_EQ(one, counts_with(2));
    EXPECT_EQ(one, counts_with(5));
    // 80 threads a block are 3 warps; 96 are 3, each reading 100 times.
    EXPECT_EQ(one[0], 8u * 100 * 3 + 10 * 3 * 100 + 32);
}

}  // namespace
