// Problems fill the memory of what is launched whole, and not of what is predicted, whose results are not looked at. On a
// GPU that plays a script.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <tuple>

#include "lab/device/variant.hpp"
#include "problems/array_sum.hpp"
#include "problems/matrix_transpose.hpp"
#include "problems/product.hpp"
#include "scripted_device.hpp"

namespace {

using scripted::device;

class Problems : public testing::Test {
  protected:
    void SetUp() override { device() = {}; }
};

void predict(const std::function<void()>& launch) {
    lab::backend::predicted(launch, lab::backend::PredictedL2::cold);
}

// Bytes that a problem writes until it has `sets` sets.
template <class Problem>
std::size_t written_bytes(Problem problem, std::size_t sets) {
    device().written_bytes = 0;
    problem.set(sets - 1);
    return device().written_bytes;
}

TEST_F(Problems, OfPredictedLaunchesWriteNothing) {
    for (const std::size_t sets : {1, 3}) {
        predict([=] {
            EXPECT_EQ(written_bytes(lab::ArraySum(1000), sets), 0u);
            EXPECT_EQ(written_bytes(lab::MatrixTranspose(30, 40), sets), 0u);
            EXPECT_EQ(written_bytes(lab::Product<float>({5, 7, 9}), sets), 0u);
        });
    }
}

// Inputs and, with poison, outputs.
TEST_F(Problems, OfWholeLaunchesFillEverySet) {
    for (const std::size_t sets : {1, 3}) {
        EXPECT_GE(written_bytes(lab::ArraySum(1000), sets), sets * 3 * 1000 * sizeof(float));
        EXPECT_GE(written_bytes(lab::MatrixTranspose(30, 40), sets),
                  sets * 2 * 30 * 40 * sizeof(float));
        EXPECT_GE(written_bytes(lab::Product<float>({5, 7, 9}), sets),
                  sets * (5 * 9 + 9 * 7 + 5 * 7) * sizeof(float));
    }
}

// Each set is as large as one that is filled, and its own.
TEST_F(Problems, OfPredictedLaunchesHaveTheirMemory) {
    predict([] {
        const lab::ArraySum sum(1000);
        for (const std::size_t index : {0, 1}) {
            const auto& [a, b, c] = sum.set(index);
            EXPECT_EQ(std::tuple(a.size(), b.size(), c.size()), std::tuple(1000u, 1000u, 1000u));
        }
        EXPECT_NE(sum.set(0).a.get(), sum.set(1).a.get());
        const lab::MatrixTranspose matrix(30, 40);
        EXPECT_EQ(matrix.set(1).in.size(), 1200u);
        EXPECT_EQ(matrix.set(1).out.size(), 1200u);
        const lab::Product<float> product({5, 7, 9});  // m, n, k
        const auto& [a, b, c] = product.set(1);
        EXPECT_EQ(std::tuple(a.size(), b.size(), c.size()), std::tuple(45u, 63u, 35u));
    });
}

// Rows of both kinds may share a problem, in any order.
template <class Problem>
std::size_t written_after_prediction(Problem problem) {
    predict([&] { problem.set(0); });
    return written_bytes(problem, 1);
}

TEST_F(Problems, ThatPredictedLaunchesUsedFirstAreFilledForTheOthers) {
    EXPECT_GE(written_after_prediction(lab::ArraySum(1000)), 3 * 1000 * sizeof(float));
    EXPECT_GE(written_after_prediction(lab::MatrixTranspose(30, 40)), 2 * 1200 * sizeof(float));
    EXPECT_GE(written_after_prediction(lab::Product<float>({5, 7, 9})), 143 * sizeof(float));
}

// As a Launch, of no kernel.
struct Launched {
    void operator()(const float*, const float*, float*, std::size_t, std::size_t) const {}
    lab::LaunchShape shape() const { return {{8, 1, 1}, 128, 4096}; }
};

// From the arrays and the launch.
TEST_F(Problems, RowsStateTheirWorkTheirLaunchAndTheirBuffers) {
    const lab::ArraySum sum(1000);
    const lab::Variant row = sum.row("read/offset:11", 11, lab::Cache::warm, Launched());
    EXPECT_EQ(row.name, "read/offset:11/n:1000/cache:warm");
    EXPECT_EQ(row.flops, 989);
    EXPECT_EQ(row.bytes, 12 * 989);
    EXPECT_EQ(row.working_set_bytes, 12000u);
    EXPECT_EQ(row.shape.grid, (std::array<std::size_t, 3>{8, 1, 1}));
    EXPECT_EQ(row.shape.threads, 128u);
    EXPECT_EQ(row.shape.shared_bytes, 4096u);
    const lab::Variant other = sum.row("b", 0, lab::Cache::warm, Launched());
    EXPECT_EQ(row.buffers, other.buffers);
    EXPECT_NE(row.buffers, lab::ArraySum(1000).row("c", 0, lab::Cache::warm, Launched()).buffers);
}

}  // namespace
