// Planted bugs of each kind are reported exactly once, at the right lines; correct kernels are not.
// To be run with --check-hazards.
// Line numbers are found from markers in this file, so that editing it does not break the tests.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "../../../chapters/17_matmul_tiled/kernels.cuh"
#include "../lab/device_test_main.hpp"
#include "lab/device/device_buffer.hpp"
#include "lab/device/emulated_gpu.hpp"
#include "lab/device/launch.hpp"
#include "lab/validate/random_values.hpp"

namespace {

constexpr int width = 32;
constexpr int tile = 16;

enum class Plant { none, no_barrier_before, no_barrier_after };

template <Plant plant>
__global__ void multiply_tiled(const float* a, const float* b, float* c) {
    __shared__ float a_tile[tile][tile];
    __shared__ float b_tile[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < width; first += tile) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * width + first + threadIdx.x];       // write a
        b_tile[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * width + column];  // write b
        if (plant != Plant::no_barrier_before) __syncthreads();
        for (int k = 0; k < tile; ++k) {
            sum += a_tile[threadIdx.y][k] *  // read a
                   b_tile[k][threadIdx.x];   // read b
        }
        if (plant != Plant::no_barrier_after) __syncthreads();
    }
    c[row * width + column] = sum;
}

__global__ void read_beyond_what_is_written(float* out) {
    __shared__ float words[33];
    words[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x + 1];  // read uninitialised
}

__global__ void copy(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }  // copy

__global__ void barrier_in_a_branch(float* out, int n) {
    __shared__ float words[64];
    words[threadIdx.x] = 1;
    if (static_cast<int>(threadIdx.x) < n) __syncthreads();  // divergent barrier
    out[threadIdx.x] = words[threadIdx.x];
}

template <bool synchronise>
__global__ void neighbours_in_a_warp(float* out) {
    __shared__ float words[32];
    words[threadIdx.x] = float(threadIdx.x);  // write words
    if (synchronise) __syncwarp();
    out[threadIdx.x] = words[threadIdx.x ^ 1];  // read words
}

__global__ void everybody_writes(float* out) {
    __shared__ float word;
    word = float(threadIdx.x);  // write word
    __syncthreads();
    out[threadIdx.x] = word;
}

__global__ void count_atomically(int* out) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = count;
}

__global__ void bytes_side_by_side(unsigned char* out) {
    __shared__ unsigned char bytes[64];
    bytes[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = bytes[63 - threadIdx.x];
}

// The line of this file that ends with the comment `marker`.
std::string line_of(const std::string& marker) {
    std::ifstream file(LAB_THIS_SOURCE);
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        if (line.ends_with("// " + marker)) return "hazards_test.cu:" + std::to_string(number);
    }
    return "no line ends with // " + marker;
}

class Hazards : public testing::Test {
  protected:
    void SetUp() override { lab::emulated_gpu::reset_counters(); }

    // Since the last call.
    static std::vector<std::string> found() {
        lab::backend::synchronise();
        const std::vector<std::string> hazards = lab::emulated_gpu::hazards();
        lab::emulated_gpu::reset_counters();
        return hazards;
    }

    template <Plant plant>
    static std::vector<std::string> product() {
        const auto values = lab::random_floats(width * width, 1);
        const lab::DeviceBuffer<float> a(values), b(values);
        lab::DeviceBuffer<float> c(width * width);
        lab::launch(multiply_tiled<plant>, dim3(2, 2), dim3(tile, tile))(a.get(), b.get(), c.get());
        return found();
    }
};

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST_F(Hazards, ACorrectProductIsClean) {
    EXPECT_EQ(product<Plant::none>(), std::vector<std::string>{});
}

// Without the barrier before the inner loop each tile is read while others still write it; without
// the one after it, the next tile is written while others still read this one.
void expect_races_on_both_tiles(const std::vector<std::string>& hazards) {
    ASSERT_EQ(hazards.size(), 2u);
    int a = 0;
    int b = 0;
    for (const std::string& hazard : hazards) {
        EXPECT_TRUE(contains(hazard, "multiply_tiled")) << hazard;
        a += contains(hazard, line_of("read a")) && contains(hazard, line_of("write a")) &&
             contains(hazard, "a_tile");
        b += contains(hazard, line_of("read b")) && contains(hazard, line_of("write b")) &&
             contains(hazard, "b_tile");
    }
    EXPECT_EQ(a, 1);
    EXPECT_EQ(b, 1);
}

TEST_F(Hazards, MissingBarrierBeforeTheLoop) {
    expect_races_on_both_tiles(product<Plant::no_barrier_before>());
}

TEST_F(Hazards, MissingBarrierAfterTheLoop) {
    expect_races_on_both_tiles(product<Plant::no_barrier_after>());
}

// Chapter 17's matmul_tiled without one of its barriers. Without the first a warp may read elements of the tiles before
// the warps that load them have done so, without the second load the next tiles while others still read.
enum class Barrier { first, second };
template <int tile, Barrier missing>
__global__ void matmul_tiled_without_barrier(const float* a, const float* b, float* c, int n,
                                             int k) {
    __shared__ float a_tile[tile][tile];
    __shared__ float b_tile[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < k; first += tile) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * k + first + threadIdx.x];
        b_tile[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
        if constexpr (missing != Barrier::first) __syncthreads();
        for (int i = 0; i < tile; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        if constexpr (missing != Barrier::second) __syncthreads();
    }
    c[row * n + column] = sum;
}

std::vector<std::string> races_of(void (*kernel)(const float*, const float*, float*, int, int)) {
    const int n = 2 * tile;
    const auto values = lab::random_floats(n * n, 1);
    const lab::DeviceBuffer<float> a(values), b(values);
    lab::DeviceBuffer<float> c(n * n);
    lab::launch(kernel, dim3(2, 2), dim3(tile, tile))(a.get(), b.get(), c.get(), n, n);
    lab::backend::synchronise();
    return lab::emulated_gpu::hazards();
}

void expect_one_race_a_tile(const std::vector<std::string>& hazards, const std::string& kernel) {
    ASSERT_EQ(hazards.size(), 2u);
    for (const std::string& hazard : hazards) EXPECT_TRUE(contains(hazard, kernel)) << hazard;
    EXPECT_EQ(contains(hazards[0], "a_tile") + contains(hazards[1], "a_tile"), 1);
    EXPECT_EQ(contains(hazards[0], "b_tile") + contains(hazards[1], "b_tile"), 1);
}

TEST_F(Hazards, ChapterSeventeenWithoutItsFirstBarrier) {
    expect_one_race_a_tile(races_of(matmul_tiled_without_barrier<16, Barrier::first>),
                           "matmul_tiled_without_barrier");
}

TEST_F(Hazards, ChapterSeventeenWithoutItsSecondBarrier) {
    expect_one_race_a_tile(races_of(matmul_tiled_without_barrier<16, Barrier::second>),
                           "matmul_tiled_without_barrier");
}

TEST_F(Hazards, ChapterSeventeenWithBothBarriers) {
    EXPECT_EQ(races_of(matmul_tiled<16>), std::vector<std::string>{});
}

TEST_F(Hazards, UninitialisedSharedElement) {
    lab::DeviceBuffer<float> out(32);
    lab::launch(read_beyond_what_is_written, 1, 32)(out.get());
    const auto hazards = found();
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_TRUE(contains(hazards[0], "thread (31,0,0): " + line_of("read uninitialised") +
                                         " reads uninitialised shared memory: "))
        << hazards[0];
    EXPECT_TRUE(contains(hazards[0], "words")) << hazards[0];
}

TEST_F(Hazards, SharedMemoryDoesNotOutliveItsBlock) {
    lab::DeviceBuffer<float> out(32);
    lab::launch(read_beyond_what_is_written, 3, 32)(out.get());
    EXPECT_EQ(found().size(), 1u);
}

TEST_F(Hazards, UninitialisedGlobalElement) {
    const lab::DeviceBuffer<float> in(32);  // poisoned, never written
    lab::DeviceBuffer<float> out(32), again(32);
    lab::launch(copy, 1, 32)(in.get(), out.get());
    const auto hazards = found();
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_TRUE(contains(hazards[0], line_of("copy"))) << hazards[0];
    EXPECT_TRUE(contains(hazards[0], "byte 0 of an allocation of 128 bytes")) << hazards[0];
    // What a kernel has written is initialised.
    lab::launch(copy, 1, 32)(out.get(), again.get());
    EXPECT_EQ(found(), std::vector<std::string>{});
}

TEST_F(Hazards, BarrierInADivergentBranch) {
    lab::DeviceBuffer<float> out(64);
    lab::launch(barrier_in_a_branch, 1, 64)(out.get(), 40);
    const auto hazards = found();
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_TRUE(contains(hazards[0], line_of("divergent barrier"))) << hazards[0];
    EXPECT_TRUE(contains(hazards[0], "thread (40,0,0) at its end")) << hazards[0];
    lab::launch(barrier_in_a_branch, 1, 64)(out.get(), 64);
    EXPECT_EQ(found(), std::vector<std::string>{});
}

TEST_F(Hazards, WarpsHaveEpochsOfTheirOwn) {
    lab::DeviceBuffer<float> out(32);
    lab::launch(neighbours_in_a_warp<true>, 1, 32)(out.get());
    EXPECT_EQ(found(), std::vector<std::string>{});
    lab::launch(neighbours_in_a_warp<false>, 1, 32)(out.get());
    const auto hazards = found();
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_TRUE(contains(hazards[0], line_of("write words"))) << hazards[0];
    EXPECT_TRUE(contains(hazards[0], line_of("read words"))) << hazards[0];
}

TEST_F(Hazards, TwoWritersOfOneWord) {
    lab::DeviceBuffer<float> out(64);
    lab::launch(everybody_writes, 1, 64)(out.get());
    const auto hazards = found();
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_TRUE(contains(hazards[0], "writes too")) << hazards[0];
    EXPECT_TRUE(contains(hazards[0], line_of("write word"))) << hazards[0];
}

TEST_F(Hazards, AtomicsAreOrdered) {
    lab::DeviceBuffer<int> out(64);
    lab::launch(count_atomically, 1, 64)(out.get());
    EXPECT_EQ(found(), std::vector<std::string>{});
    EXPECT_EQ(out.to_host()[5], 64);
}

TEST_F(Hazards, BytesOfOneWordAreApart) {
    lab::DeviceBuffer<unsigned char> out(64);
    lab::launch(bytes_side_by_side, 1, 64)(out.get());
    EXPECT_EQ(found(), std::vector<std::string>{});
}

}  // namespace
