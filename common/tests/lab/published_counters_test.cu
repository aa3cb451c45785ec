// Counters that others have printed for GPUs of four generations, against the same kernels emulated.
// Sources are named with each; nothing in the emulator was fitted to them.
// --architecture= chooses the GPU; the tests of the others are skipped.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "device_test_main.hpp"
#include "lab/device/device_buffer.hpp"
#include "lab/device/launch.hpp"

namespace {

__global__ void read_offset(const float* a, const float* b, float* c, int n, int offset) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int k = i + offset;
    if (k < n) c[i] = a[k] + b[k];
}

__global__ void write_offset(const float* a, const float* b, float* c, int n, int offset) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int k = i + offset;
    if (k < n) c[k] = a[i] + b[i];
}

template <bool load_columns, bool store_columns>
__global__ void move_matrix(const float* in, float* out, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[store_columns ? x * width + y : y * width + x] =
        in[load_columns ? x * width + y : y * width + x];
}

struct Pair {
    float x, y;
};

__global__ void copy_first_member(const Pair* in, Pair* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i].x = in[i].x;
}

template <bool set_columns, bool read_columns, int padding>
__global__ void square_tile(int* out) {
    __shared__ int tile[32][32 + padding];
    const int number = threadIdx.y * blockDim.x + threadIdx.x;
    tile[set_columns ? threadIdx.x : threadIdx.y][set_columns ? threadIdx.y : threadIdx.x] = number;
    __syncthreads();
    out[number] =
        tile[read_columns ? threadIdx.x : threadIdx.y][read_columns ? threadIdx.y : threadIdx.x];
}

using CountersByName = std::map<std::string, double>;

class PublishedCounters : public testing::Test {
  protected:
    static bool on(const std::string& architecture) {
        return lab::backend::description().slug == "emulated-" + architecture;
    }

    template <class Launch>
    static CountersByName count(const Launch& launch) {
        const auto counters = lab::backend::counted(launch);
        return {counters->counters.begin(), counters->counters.end()};
    }

    template <class Kernel>
    static CountersByName offset_kernel(Kernel kernel, int n, int offset) {
        const lab::DeviceBuffer<float> a(n), b(n);
        lab::DeviceBuffer<float> c(n);
        return count(
            [&] { lab::launch(kernel, n / 512, 512)(a.get(), b.get(), c.get(), n, offset); });
    }

    template <bool load_columns, bool store_columns>
    static CountersByName matrix(int width) {
        const lab::DeviceBuffer<float> in(width * width);
        lab::DeviceBuffer<float> out(width * width);
        return count([&] {
            lab::launch(move_matrix<load_columns, store_columns>, dim3(width / 16, width / 16),
                        dim3(16, 16))(in.get(), out.get(), width);
        });
    }

    template <bool set_columns, bool read_columns, int padding>
    static CountersByName tile() {
        lab::DeviceBuffer<int> out(1024);
        return count([&] {
            lab::launch(square_tile<set_columns, read_columns, padding>, 1,
                        dim3(32, 32))(out.get());
        });
    }
};

// Fermi, L1 on: 49.8 % at offset 11; stores 80 % at 11, 100 % at 0 and 128.
// Cheng, Grossman, McKercher: Professional CUDA C Programming, chapter 4.
TEST_F(PublishedCounters, FermiEfficiencies) {
    if (!on("fermi")) GTEST_SKIP();
    constexpr int n = 1 << 20;
    EXPECT_NEAR(offset_kernel(read_offset, n, 11)["load_efficiency"], 49.8, 0.5);
    EXPECT_NEAR(offset_kernel(read_offset, n, 0)["load_efficiency"], 100, 0.5);
    EXPECT_NEAR(offset_kernel(read_offset, n, 128)["load_efficiency"], 100, 0.5);
    EXPECT_NEAR(offset_kernel(write_offset, n, 11)["store_efficiency"], 80, 0.5);
    EXPECT_NEAR(offset_kernel(write_offset, n, 0)["store_efficiency"], 100, 0.5);
    EXPECT_NEAR(offset_kernel(write_offset, n, 128)["store_efficiency"], 100, 0.5);
}

// RTX 4070 Ti, n = 2^22, blocks of 512: gld_transactions and gst_transactions (sectors).
// Deleter-D.github.io, notes on CUDA programming, global memory.
TEST_F(PublishedCounters, AdaTransactions) {
    if (!on("ada")) GTEST_SKIP();
    constexpr int n = 1 << 22;
    EXPECT_EQ(offset_kernel(read_offset, n, 0)["load_sectors"], 1048576);
    EXPECT_EQ(offset_kernel(read_offset, n, 11)["load_sectors"], 1310716);
    EXPECT_EQ(offset_kernel(read_offset, n, 128)["load_sectors"], 1048544);
    EXPECT_EQ(offset_kernel(write_offset, n, 0)["store_sectors"], 524288);
    EXPECT_EQ(offset_kernel(write_offset, n, 11)["store_sectors"], 655358);
    EXPECT_EQ(offset_kernel(write_offset, n, 128)["store_sectors"], 524272);
}

// RTX 3080, 2048 x 2048, blocks of 16 x 16: load and store efficiencies of copies and transposes by
// rows and columns; AoS of two floats 50 %. junstar92/nvidia-libraries-study, 11 and 11-1.
TEST_F(PublishedCounters, AmpereEfficiencies) {
    if (!on("ampere")) GTEST_SKIP();
    const auto expect = [](CountersByName counters, double load, double store) {
        EXPECT_NEAR(counters["load_efficiency"], load, 0.01);
        EXPECT_NEAR(counters["store_efficiency"], store, 0.01);
    };
    expect(matrix<false, false>(2048), 100, 100);
    expect(matrix<true, true>(2048), 25, 25);
    expect(matrix<false, true>(2048), 100, 25);
    expect(matrix<true, false>(2048), 25, 100);

    const lab::DeviceBuffer<Pair> in(1 << 16);
    lab::DeviceBuffer<Pair> out(1 << 16);
    expect(
        count([&] { lab::launch(copy_first_member, (1 << 16) / 256, 256)(in.get(), out.get()); }),
        50, 50);
}

// RTX 3080, one block of 32 x 32 ints: shared-memory wavefronts of rows and columns, with and
// without a column of padding. junstar92/nvidia-libraries-study, 12-1.
TEST_F(PublishedCounters, AmpereSharedWavefronts) {
    if (!on("ampere")) GTEST_SKIP();
    const auto expect = [](CountersByName counters, double load, double store) {
        EXPECT_EQ(counters["shared_load_wavefronts"], load);
        EXPECT_EQ(counters["shared_store_wavefronts"], store);
    };
    expect(tile<false, false, 0>(), 32, 32);
    expect(tile<true, true, 0>(), 1024, 1024);
    expect(tile<false, true, 0>(), 1024, 32);
    expect(tile<false, true, 1>(), 32, 32);
}

// Tegra X1 (Maxwell), blocks of 16 x 16: reading rows 100 %, reading columns 25 %, storing rows 100 %.
// Its printed 12.5 % for stores by columns (one transaction a lane, where two lanes of different half
// warps share each sector) is not reproduced: emulated are the distinct sectors of the warp, 25 %.
TEST_F(PublishedCounters, MaxwellEfficiencies) {
    if (!on("maxwell")) GTEST_SKIP();
    auto by_rows = matrix<false, true>(2048);
    auto by_columns = matrix<true, false>(2048);
    EXPECT_NEAR(by_rows["load_efficiency"], 100, 0.01);
    EXPECT_NEAR(by_columns["load_efficiency"], 25, 0.01);
    EXPECT_NEAR(by_columns["store_efficiency"], 100, 0.01);
    EXPECT_EQ(by_columns["store_sectors"], 524288);
    EXPECT_EQ(by_columns["load_sectors"], 2097152);
}

}  // namespace
