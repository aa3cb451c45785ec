// The validator must not let a single wrong, unwritten or not-a-number element pass.
#include "lab/validate/validation.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "message_of.hpp"

namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

std::string compare(const std::vector<float>& actual, const std::vector<float>& expected,
                    double tolerance = 0) {
    return message_of([&] { lab::expect_near<float>(actual, expected, tolerance); });
}

TEST(Validation, EqualPasses) { EXPECT_EQ(compare({1, 2, 3}, {1, 2, 3}), "passed"); }

TEST(Validation, CountsWrongElementsAndNamesTheFirst) {
    EXPECT_EQ(compare({1, 2.5, 3, 5}, {1, 2, 3, 4}),
              "2 of 4 elements wrong, the first at [1]: got 2.5, expected 2, tolerance 0");
}

TEST(Validation, NanResultIsWrong) {
    EXPECT_EQ(compare({1, nan}, {1, 2}),
              "1 of 2 elements wrong, the first at [1]: got nan, expected 2, tolerance 0");
}

TEST(Validation, NanReferenceIsWrong) { EXPECT_NE(compare({1, 2}, {1, nan}), "passed"); }

// Two NaNs are no agreement: both sides may have read the same poison.
TEST(Validation, NanOnBothSidesIsWrong) { EXPECT_NE(compare({nan}, {nan}), "passed"); }

TEST(Validation, NanToleranceLetsNothingPass) { EXPECT_NE(compare({1}, {1}, nan), "passed"); }

TEST(Validation, InfinityIsWrong) {
    EXPECT_NE(compare({std::numeric_limits<float>::infinity()}, {1}, 1e30), "passed");
}

TEST(Validation, ToleranceIsInclusive) {
    EXPECT_EQ(compare({1.5}, {1}, 0.5), "passed");
    EXPECT_NE(compare({1.5}, {1}, 0.49), "passed");
}

TEST(Validation, LengthsMustAgree) {
    EXPECT_EQ(compare({1, 2}, {1, 2, 3}), "the output has 2 elements, the reference 3");
}

TEST(Validation, IntegersBeyondFloatPrecisionAreTold) {
    const std::vector<int> actual = {16777217};
    const std::vector<int> expected = {16777216};
    EXPECT_NE(message_of([&] { lab::expect_equal<int>(actual, expected); }), "passed");
}

TEST(Validation, UntouchedSeesASingleWrittenElement) {
    std::vector<float> values(4);
    std::fill_n(reinterpret_cast<unsigned char*>(values.data()), values.size() * sizeof(float),
                0xFF);
    EXPECT_EQ(message_of([&] { lab::expect_untouched<float>(values); }), "passed");
    values[2] = nan;  // a NaN, but not the poison
    EXPECT_EQ(message_of([&] { lab::expect_untouched<float>(values); }),
              "1 of 4 elements wrong, the first at [2]: written, although the kernel has to leave "
              "them alone");
}

std::string compare_bits(const std::vector<float>& actual, const std::vector<float>& expected) {
    return message_of([&] { lab::expect_same_bits<float>(actual, expected, 100); });
}

TEST(Validation, EqualSaysWhatComparesPoison) {
    const std::vector<float> poison = {std::bit_cast<float>(0xFFFFFFFFu)};
    const std::string message = message_of([&] { lab::expect_equal<float>(poison, poison); });
    EXPECT_TRUE(message.ends_with("; a reference with poison needs expect_same_bits")) << message;
}

TEST(Validation, SameBitsCountsWrongElementsAndNamesTheFirst) {
    EXPECT_EQ(compare_bits({1, 2, 3}, {1, 2, 3}), "passed");
    EXPECT_EQ(compare_bits({1, 2.5, nan}, {1, 2, 3}),
              "2 of 3 elements wrong, the first at [101]: got 2.5, expected 2, tolerance 0");
    EXPECT_EQ(compare_bits({1}, {1, 2}), "the output has 1 elements, the reference 2");
}

// Equal as numbers, different as bits.
TEST(Validation, SameBitsTellsTheZerosApart) {
    EXPECT_EQ(compare_bits({-0.f}, {0.f}),
              "1 of 1 elements wrong, the first at [100]: got -0, expected 0, tolerance 0");
}

TEST(Validation, SameBitsWantsPoisonLeftAlone) {
    const float poison = std::bit_cast<float>(0xFFFFFFFFu);
    EXPECT_EQ(compare_bits({1, poison}, {1, poison}), "passed");
    for (const float written : {0.f, nan}) {
        EXPECT_EQ(compare_bits({1, written}, {1, poison}),
                  "1 of 2 elements wrong, the first at [101]: written, although the kernel has to "
                  "leave them alone");
    }
}

}  // namespace
