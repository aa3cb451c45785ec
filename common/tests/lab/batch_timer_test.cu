// The batches of a GPU: nothing runs before all launches wait in its queue, a launch that waits for the
// device is found out, and the SM clock that is measured is the one that the driver reports. Skipped
// without a GPU.
#include <gtest/gtest.h>

#include <cstdio>
#include <stdexcept>
#include <string>

#include "lab/device/backend.hpp"
#include "lab/device/launch.hpp"
#include "lab/measure/timed_batch.hpp"
#include "lab/program/errors.hpp"

namespace {

using lab::backend::timed_batch;

__global__ void count(int* launches) { *launches += 1; }

__global__ void spin(long long cycles) {
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
}

// Memory that the host and the device see at the same time.
struct Mapped {
    volatile int* host = nullptr;
    int* device = nullptr;
    Mapped() {
        void* memory = nullptr;
        LAB_CUDA_CHECK(cudaHostAlloc(&memory, sizeof(int), cudaHostAllocMapped));
        host = static_cast<int*>(memory);
        *host = 0;
        LAB_CUDA_CHECK(cudaHostGetDevicePointer(&memory, memory, 0));
        device = static_cast<int*>(memory);
    }
    ~Mapped() { cudaFreeHost(const_cast<int*>(host)); }
};

TEST(Batch, RunsNothingUntilAllOfItWaits) {
    const Mapped launches;
    lab::launch(count, 1, 1)(launches.device);  // loads the kernel
    lab::backend::synchronise();
    *launches.host = 0;
    constexpr int all = 512;
    const lab::Batch batch = timed_batch(
        [&](int i) {
            EXPECT_EQ(*launches.host, 0) << i;
            lab::launch(count, 1, 1)(launches.device);
        },
        all, all);
    EXPECT_EQ(*launches.host, all);
    std::printf("a launch of a batch of %d: %.3f us\n", all, batch.seconds / all * 1e6);
}

TEST(Batch, LongerThanTheQueueIsReleasedInTime) {
    const Mapped launches;
    constexpr int all = 600, kernels = 4;
    const auto launch = [&](int) {
        for (int i = 0; i < kernels; ++i) lab::launch(count, 1, 1)(launches.device);
    };
    timed_batch(launch, all, 512 / kernels);
    EXPECT_EQ(*launches.host, all * kernels);
}

TEST(Batch, WithALaunchThatWaitsForTheDeviceIsAnError) {
    std::string message;
    try {
        timed_batch([](int) { lab::backend::synchronise(); }, 3, 3);
    } catch (const lab::CudaError& error) {
        message = error.what();
    }
    EXPECT_NE(message.find("a launch in the batch waits for the host"), std::string::npos)
        << message;
    EXPECT_NO_THROW(timed_batch([](int) {}, 1, 1));
}

TEST(Batch, ThatThrowsLeavesTheDeviceFree) {
    // The launch before has nothing to run in any more when the exception is caught.
    const auto launch = [](int i) {
        if (i == 1) throw std::runtime_error("no");
        lab::launch(spin, 1, 1)(50'000'000);
    };
    EXPECT_THROW(timed_batch(launch, 2, 2), std::runtime_error);
    EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
    EXPECT_NO_THROW(timed_batch([](int) {}, 1, 1));
}

// 50 million cycles are 20 to 50 ms. The driver reports the clock in steps of 15 MHz.
TEST(Batch, HasTheClockThatTheDriverReports) {
    constexpr long long cycles = 5'000'000;
    constexpr int launches = 10;
    for (int i = 0; i < 5; ++i) {
        const lab::Batch batch =
            timed_batch([](int) { lab::launch(spin, 1, 1)(cycles); }, launches, launches);
        const double mhz = batch.clocks.sm_clock_mhz;
        const double reported = lab::backend::sample_clocks().sm_clock_mhz;
        const double by_kernel = 1e-6 * static_cast<double>(launches * cycles) / batch.seconds;
        std::printf("SM clock: %.1f MHz measured, %.0f reported, %.1f by the time of a loop\n", mhz,
                    reported, by_kernel);
        EXPECT_NEAR(mhz / by_kernel, 1, 0.01);
        if (reported > 0) EXPECT_NEAR(mhz / reported, 1, 0.02);
    }
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    std::vector<std::string> arguments(argv, argv + argc);
    lab::backend::open(arguments);
    constexpr int skipped = 77;  // as Meson knows it
    if (lab::backend::description().emulated) return skipped;
    return RUN_ALL_TESTS();
}
