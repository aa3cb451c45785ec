// The lab's own flags: whole numbers and nothing else, each taken once.
#include "lab/program/command_line.hpp"

#include <gtest/gtest.h>

#include "lab/program/errors.hpp"
#include "lab/validate/random_values.hpp"

namespace lab {
namespace {

using Arguments = std::vector<std::string>;

TEST(CommandLine, TakesAWholeNumberAndLeavesTheRest) {
    Arguments arguments = {"--quick", "--workers=4", "x"};
    EXPECT_EQ(take_unsigned(arguments, "--workers="), 4u);
    EXPECT_EQ(arguments, (Arguments{"--quick", "x"}));
    EXPECT_EQ(take_unsigned(arguments, "--workers="), std::nullopt);
}

TEST(CommandLine, RefusesWhatIsNoPositiveWholeNumber) {
    for (const char* text : {"4x", "x", "", "0", "-1", "+4", " 4", "4 ", "0x10", "4294967296"}) {
        Arguments arguments = {std::string("--workers=") + text};
        EXPECT_THROW(take_unsigned(arguments, "--workers="), UsageError) << text;
    }
}

TEST(CommandLine, TakesAFlagOnce) {
    Arguments arguments = {"--quick", "--quick"};
    EXPECT_TRUE(take_flag(arguments, "--quick"));
    EXPECT_EQ(arguments, Arguments{"--quick"});
}

// A kernel that reads another row than it should must not find the same values there.
TEST(RandomValues, DoNotRepeat) {
    const std::vector<float> values = random_floats(1 << 20, 1);
    for (const std::size_t period : {1, 2, 32, 256, 512, 1024, 4096, 65536}) {
        std::size_t alike = 0;
        for (std::size_t i = period; i < values.size(); ++i)
            alike += values[i] == values[i - period];
        EXPECT_LT(alike, 16u) << period;
    }
    EXPECT_NE(random_floats(16, 1), random_floats(16, 2));
}

TEST(RandomValues, LieBetweenMinusOneAndOneOnBothSidesOfZero) {
    double sum = 0;
    for (const float value : random_floats(1 << 16, 7)) {
        ASSERT_GE(value, -1.0f);
        ASSERT_LT(value, 1.0f);
        sum += value;
    }
    EXPECT_NEAR(sum / (1 << 16), 0, 0.01);
}

}  // namespace
}  // namespace lab
