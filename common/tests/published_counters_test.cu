// Counters that others have printed for GPUs of four generations, against the same kernels emulated.
// Sources are named with each; nothing in the emulator was fitted to them.
#include <gtest/gtest.h>

#include <vector>

#include "emulator/emulated_launch.hpp"
#include "lab/device_buffer.hpp"
#include "lab/launch.hpp"
#include "lab/random_values.hpp"

namespace {

using emulator::AccessCounters;
using emulator::LaunchCounters;

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
    out[number] = tile[read_columns ? threadIdx.x : threadIdx.y][read_columns ? threadIdx.y : threadIdx.x];
}

double efficiency(const AccessCounters& access) {
    return 100.0 * static_cast<double>(access.distinct_bytes) / static_cast<double>(access.moved_bytes);
}

class PublishedCounters : public testing::Test {
  protected:
    static void on(const char* architecture) {
        emulator::set_current_gpu(
            std::make_unique<emulator::Gpu>(*emulator::find_architecture(architecture)));
        (void)emulator::take_counters();
    }

    template <class Kernel>
    static LaunchCounters offset_kernel(Kernel kernel, int n, int offset) {
        const lab::DeviceBuffer<float> a(n), b(n);
        lab::DeviceBuffer<float> c(n);
        lab::launch(kernel, n / 512, 512)(a.get(), b.get(), c.get(), n, offset);
        return emulator::take_counters();
    }

    template <bool load_columns, bool store_columns>
    static LaunchCounters matrix(int width) {
        const lab::DeviceBuffer<float> in(width * width);
        lab::DeviceBuffer<float> out(width * width);
        lab::launch(move_matrix<load_columns, store_columns>, dim3(width / 16, width / 16),
                    dim3(16, 16))(in.get(), out.get(), width);
        return emulator::take_counters();
    }

    template <bool set_columns, bool read_columns, int padding>
    static LaunchCounters tile() {
        lab::DeviceBuffer<int> out(1024);
        lab::launch(square_tile<set_columns, read_columns, padding>, 1, dim3(32, 32))(out.get());
        return emulator::take_counters();
    }
};

// Fermi, L1 on: 49.8 % at offset 11; stores 80 % at 11, 100 % at 0 and 128.
// Cheng, Grossman, McKercher: Professional CUDA C Programming, chapter 4.
TEST_F(PublishedCounters, FermiEfficiencies) {
    on("fermi");
    constexpr int n = 1 << 20;
    EXPECT_NEAR(efficiency(offset_kernel(read_offset, n, 11).loads), 49.8, 0.5);
    EXPECT_NEAR(efficiency(offset_kernel(read_offset, n, 0).loads), 100, 0.5);
    EXPECT_NEAR(efficiency(offset_kernel(read_offset, n, 128).loads), 100, 0.5);
    EXPECT_NEAR(efficiency(offset_kernel(write_offset, n, 11).stores), 80, 0.5);
    EXPECT_NEAR(efficiency(offset_kernel(write_offset, n, 0).stores), 100, 0.5);
    EXPECT_NEAR(efficiency(offset_kernel(write_offset, n, 128).stores), 100, 0.5);
}

// RTX 4070 Ti, n = 2^22, blocks of 512: gld_transactions and gst_transactions (sectors).
// Deleter-D.github.io, notes on CUDA programming, global memory.
TEST_F(PublishedCounters, AdaTransactions) {
    on("ada");
    constexpr int n = 1 << 22;
    EXPECT_EQ(offset_kernel(read_offset, n, 0).loads.sectors, 1048576u);
    EXPECT_EQ(offset_kernel(read_offset, n, 11).loads.sectors, 1310716u);
    EXPECT_EQ(offset_kernel(read_offset, n, 128).loads.sectors, 1048544u);
    EXPECT_EQ(offset_kernel(write_offset, n, 0).stores.sectors, 524288u);
    EXPECT_EQ(offset_kernel(write_offset, n, 11).stores.sectors, 655358u);
    EXPECT_EQ(offset_kernel(write_offset, n, 128).stores.sectors, 524272u);
}

// RTX 3080, 2048 x 2048, blocks of 16 x 16: load and store efficiencies of copies and transposes by
// rows and columns; AoS of two floats 50 %. junstar92/nvidia-libraries-study, 11 and 11-1.
TEST_F(PublishedCounters, AmpereEfficiencies) {
    on("ampere");
    const auto expect = [](const LaunchCounters& counters, double load, double store) {
        EXPECT_NEAR(efficiency(counters.loads), load, 0.01);
        EXPECT_NEAR(efficiency(counters.stores), store, 0.01);
    };
    expect(matrix<false, false>(2048), 100, 100);
    expect(matrix<true, true>(2048), 25, 25);
    expect(matrix<false, true>(2048), 100, 25);
    expect(matrix<true, false>(2048), 25, 100);

    const lab::DeviceBuffer<Pair> in(1 << 16);
    lab::DeviceBuffer<Pair> out(1 << 16);
    lab::launch(copy_first_member, (1 << 16) / 256, 256)(in.get(), out.get());
    expect(emulator::take_counters(), 50, 50);
}

// RTX 3080, one block of 32 x 32 ints: shared-memory wavefronts of rows and columns, with and
// without a column of padding. junstar92/nvidia-libraries-study, 12-1.
TEST_F(PublishedCounters, AmpereSharedWavefronts) {
    on("ampere");
    const auto expect = [](const LaunchCounters& counters, std::uint64_t load, std::uint64_t store) {
        EXPECT_EQ(counters.shared_loads.wavefronts, load);
        EXPECT_EQ(counters.shared_stores.wavefronts, store);
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
    on("maxwell");
    const auto by_rows = matrix<false, true>(2048);
    const auto by_columns = matrix<true, false>(2048);
    EXPECT_NEAR(efficiency(by_rows.loads), 100, 0.01);
    EXPECT_NEAR(efficiency(by_columns.loads), 25, 0.01);
    EXPECT_NEAR(efficiency(by_columns.stores), 100, 0.01);
    EXPECT_EQ(by_columns.stores.sectors, 524288u);
    EXPECT_EQ(by_columns.loads.sectors, 2097152u);
}

}  // namespace
