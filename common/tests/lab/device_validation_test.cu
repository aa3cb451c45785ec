// The comparison on the device must not let a single element pass either: the emulated backend's, and
// the kernel that a GPU's backend launches, run by the emulated GPU.
#include "lab/validate/device_validation.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "device_test_main.hpp"
#include "lab/device/launch.hpp"
#include "lab/validate/repeated_values.hpp"
#include "lab/validate/repeats.cuh"
#include "message_of.hpp"

namespace {

class DeviceValidation : public testing::Test {};

const std::vector<float> period = {1, 2, 3, 4, 5};

// The elements [begin, begin + count) of the period, over and over.
std::vector<float> elements(std::size_t begin, std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = period[(begin + i) % period.size()];
    return values;
}

bool kernel_sees_a_difference(const std::vector<float>& values, std::size_t phase, unsigned grid) {
    const lab::DeviceBuffer<float> data(values), expected(period);
    const std::vector<int> none = {0};
    lab::DeviceBuffer<int> differs(none);
    lab::launch(lab::find_difference<std::uint32_t>, grid, 32)(
        reinterpret_cast<const std::uint32_t*>(data.get()), data.size(),
        reinterpret_cast<const std::uint32_t*>(expected.get()), expected.size(), phase,
        differs.get());
    return differs.to_host()[0] != 0;
}

TEST_F(DeviceValidation, KernelPassesThePeriodFromAnyPhaseWithAnyGrid) {
    for (const std::size_t phase : {0, 1, 4}) {
        for (const unsigned grid : {1, 2, 9}) {
            EXPECT_FALSE(kernel_sees_a_difference(elements(phase, 203), phase, grid));
            EXPECT_TRUE(kernel_sees_a_difference(elements(phase + 1, 203), phase, grid));
        }
    }
}

TEST_F(DeviceValidation, KernelSeesEachSingleElement) {
    for (std::size_t i = 0; i < 203; ++i) {
        for (const float wrong : {0.f, std::numeric_limits<float>::quiet_NaN()}) {
            std::vector<float> values = elements(2, 203);
            values[i] = wrong;
            EXPECT_TRUE(kernel_sees_a_difference(values, 2, 3)) << i;
        }
    }
}

TEST_F(DeviceValidation, SaysHowManyAreWrongAndWhereTheFirstIs) {
    const lab::DeviceBuffer<float> expected(period);
    std::vector<float> values = elements(3, 100);
    const auto message = [&] {
        return message_of(
            [&] { lab::expect_repeats(lab::DeviceBuffer<float>(values), {10, 90}, expected, 13); });
    };
    EXPECT_EQ(message(), "passed");
    values[9] = 0;  // before the part
    EXPECT_EQ(message(), "passed");
    values[57] = std::numeric_limits<float>::quiet_NaN();
    values[99] = 0;
    EXPECT_EQ(message(),
              "2 of 90 elements wrong, the first at [57]: got nan, expected 1, tolerance 0");
}

// A reference with holes: in them the poison is right, and any other element wrong, a NaN as well.
TEST_F(DeviceValidation, PoisonInTheReferenceIsWhatTheKernelHasToLeaveAlone) {
    const float hole = lab::poison_value<float>();
    const std::vector<float> with_hole = {1, hole, 3};
    const lab::DeviceBuffer<float> expected(with_hole);
    const std::vector<float> right = {hole, 3, 1, hole, 3, 1, hole};
    const auto message = [&](std::size_t element, float value) {
        std::vector<float> values = right;
        values[element] = value;
        return message_of(
            [&] { lab::expect_repeats(lab::DeviceBuffer<float>(values), {0, 7}, expected, 1); });
    };
    EXPECT_EQ(message(0, hole), "passed");
    EXPECT_EQ(message(3, 3),
              "1 of 7 elements wrong, the first at [3]: written, although the kernel has to leave "
              "them alone");
    EXPECT_NE(message(3, std::numeric_limits<float>::quiet_NaN()), "passed");
    EXPECT_NE(message(4, hole), "passed");
}

TEST_F(DeviceValidation, ComparesElementsOfOneByte) {
    const std::vector<std::uint8_t> three = {7, 8, 9};
    std::vector<std::uint8_t> values = {9, 7, 8, 9, 7};
    const lab::DeviceBuffer<std::uint8_t> expected(three);
    EXPECT_NO_THROW(
        lab::expect_repeats(lab::DeviceBuffer<std::uint8_t>(values), {0, 5}, expected, 2));
    values[4] = 8;
    EXPECT_THROW(lab::expect_repeats(lab::DeviceBuffer<std::uint8_t>(values), {0, 5}, expected, 2),
                 lab::ValidationError);
}

TEST_F(DeviceValidation, RepeatedBeginsAnewAfterEachPeriod) {
    const std::vector<std::uint8_t> five = {1, 2, 3, 4, 5};
    EXPECT_EQ(lab::repeated(period, 13).to_host(), elements(0, 13));
    EXPECT_EQ(lab::repeated(period, 3).to_host(), elements(0, 3));
    EXPECT_EQ(lab::repeated(five, 7).to_host(), (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 1, 2}));
}

TEST_F(DeviceValidation, UntouchedSeesASingleWrittenElement) {
    lab::DeviceBuffer<float> buffer(6);
    EXPECT_NO_THROW(lab::expect_untouched(buffer, {0, 6}));
    const float written = std::numeric_limits<float>::quiet_NaN();  // but not the poison
    lab::backend::copy_to_device(buffer.get() + 2, &written, sizeof written);
    EXPECT_NO_THROW(lab::expect_untouched(buffer, {3, 3}));
    EXPECT_EQ(message_of([&] { lab::expect_untouched(buffer, {1, 5}); }),
              "1 of 5 elements wrong, the first at [2]: written, although the kernel has to leave "
              "them alone");
}

}  // namespace
