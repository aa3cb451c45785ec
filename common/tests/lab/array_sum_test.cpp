// The check of the vector chapters must not let a single element pass, wherever the kernel writes.
#include "problems/array_sum.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device_test_main.hpp"
#include "lab/program/errors.hpp"
#include "lab/validate/repeated_values.hpp"

namespace {

class ArraySum : public testing::Test {};

void store(lab::ArraySum& arrays, std::size_t element, float value) {
    lab::backend::copy_to_device(arrays.set(0).c.get() + element, &value, sizeof value);
}

// What a right kernel does that stores the sums from `offset` on in the part `written`.
void add(lab::ArraySum& arrays, std::size_t offset, lab::Part written) {
    auto& [a, b, c] = arrays.set(0);
    c.poison();
    const std::vector<float> from_a = a.to_host(), from_b = b.to_host();
    for (std::size_t i = 0; i < written.count; ++i) {
        store(arrays, written.begin + i, from_a[offset + i] + from_b[offset + i]);
    }
}

bool passes(auto&& check) {
    try {
        check();
        return true;
    } catch (const lab::ValidationError&) {
        return false;
    }
}

TEST_F(ArraySum, EachElementMatters) {
    constexpr std::size_t n = 70;
    const struct {
        std::size_t offset;
        lab::Part written;
    } cases[] = {{0, {0, n}}, {11, {0, n - 11}}, {0, {11, n - 11}}, {3, {5, 32}}};
    lab::ArraySum arrays(n);
    for (const auto& [offset, written] : cases) {
        add(arrays, offset, written);
        EXPECT_TRUE(passes([&] { arrays.check(offset, written); }));
        for (std::size_t element = 0; element < n; ++element) {
            add(arrays, offset, written);
            store(arrays, element, 2.5f);  // no sum of two numbers below 1, and no poison
            EXPECT_FALSE(passes([&] { arrays.check(offset, written); })) << element;
        }
    }
}

TEST_F(ArraySum, AnElementThatIsLeftOutOrComesFromItsNeighbourIsWrong) {
    lab::ArraySum arrays(70);
    add(arrays, 0, {11, 59});
    store(arrays, 40, lab::poison_value<float>());
    EXPECT_FALSE(passes([&] { arrays.check(0, {11, 59}); }));
    add(arrays, 1, {11, 59});
    EXPECT_FALSE(passes([&] { arrays.check(0, {11, 59}); }));
}

// Some lanes of each warp write, in arrays longer than what they repeat: the pattern of the lanes
// must go on where the values repeat.
TEST_F(ArraySum, LanesThatDoNotWriteGoOnBehindThePeriod) {
    constexpr std::size_t n = lab::period + 100;
    lab::ArraySum arrays(n);
    arrays.set(0);
    std::vector<float> expected = arrays.values_of_sum();
    ASSERT_EQ(expected.size(), lab::period);
    std::vector<float> c(n);
    for (std::size_t i = 0; i < n; ++i) {
        c[i] = i % 32 < 8 ? expected[i % lab::period] : lab::poison_value<float>();
    }
    for (std::size_t i = 0; i < lab::period; ++i) {
        if (i % 32 >= 8) expected[i] = lab::poison_value<float>();
    }
    const auto check = [&] { arrays.check_repeats(expected, 0, {0, n}); };
    lab::backend::copy_to_device(arrays.set(0).c.get(), c.data(), n * sizeof(float));
    EXPECT_TRUE(passes(check));
    // 4194272 = 131071 x 32: the lane of the period's first element is 0 again, and 5, 40 behind it
    // are lanes 5, which writes, and 8, which does not.
    for (const std::size_t behind : {5, 40}) {
        store(arrays, lab::period + behind, 2.5f);
        EXPECT_FALSE(passes(check)) << behind;
        lab::backend::copy_to_device(arrays.set(0).c.get(), c.data(), n * sizeof(float));
    }
}

}  // namespace
