// What is read from NVIDIA's management library: fake_nvml.cpp stands in for it.
#include "lab/device/gpu_state.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace {

using lab::GpuState;

class State : public testing::Test {
  protected:
    void SetUp() override {
        for (const char* name : {"FAKE_GPU", "FAKE_MIG", "FAKE_SM_CLOCK", "FAKE_MEMORY_CLOCK",
                                 "FAKE_THROTTLE_REASONS"}) {
            unsetenv(name);
        }
    }
    static void has(const char* name, const char* value) { setenv(name, value, 1); }
    const GpuState gpu_{2, 3, 1};
};

TEST_F(State, OfAWholeGpu) {
    EXPECT_EQ(gpu_.mig(), "off");
    EXPECT_EQ(gpu_.note("nvidia-h200"), "");
    EXPECT_EQ(gpu_.driver(), "580.00.01");
}

TEST_F(State, OfASlice) {
    has("FAKE_MIG", "1");
    EXPECT_EQ(gpu_.mig(), "on");
    const std::string note = gpu_.note("nvidia-h200-mig-1g-18gb");
    EXPECT_NE(note.find("slice of a GPU (MIG)"), std::string::npos) << note;
    EXPECT_NE(note.find("nvidia-h200-mig-1g-18gb"), std::string::npos) << note;
    EXPECT_EQ(note.find('\n'), std::string::npos) << note;
}

// The bits of nvml.h: 0x1 idle, 0x2 the application's clocks, 0x4 power, 0x8, 0x40 and 0x80 hardware, 0x20 heat.
TEST_F(State, OfAThrottledOne) {
    has("FAKE_SM_CLOCK", "1980");
    has("FAKE_MEMORY_CLOCK", "3201");
    for (const char* reasons : {"0", "1", "2", "3"}) {
        has("FAKE_THROTTLE_REASONS", reasons);
        EXPECT_FALSE(gpu_.read().throttled()) << reasons;
    }
    for (const char* reasons : {"4", "8", "32", "64", "128", "5"}) {
        has("FAKE_THROTTLE_REASONS", reasons);
        EXPECT_TRUE(gpu_.read().throttled()) << reasons;
    }
    EXPECT_EQ(gpu_.read().sm_clock_mhz, 1980u);
    EXPECT_EQ(gpu_.read().memory_clock_mhz, 3201u);
}

TEST_F(State, OfOneThatTheDriverDoesNotKnow) {
    has("FAKE_GPU", "lost");
    const GpuState lost(2, 3, 1);
    EXPECT_FALSE(lost.read().known);
    EXPECT_EQ(lost.mig(), "unknown");
    EXPECT_EQ(lost.note("nvidia-h200"), "");
}

}  // namespace
