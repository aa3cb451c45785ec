// Problems fill the memory of what is launched whole, and not of what is sampled, whose results are not looked at. On a GPU that
// plays a script.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "lab/experiment.hpp"
#include "problems/array_sum.hpp"
#include "problems/matrix_transpose.hpp"
#include "problems/product.hpp"
#include "scripted_device.hpp"

namespace {

using lab::Emulation;
using scripted::device;

class Problems : public testing::Test {
  protected:
    void SetUp() override { device() = {}; }
};

// Bytes that a problem writes until it has `sets` sets.
template <class Problem>
std::size_t written_bytes(Problem problem, std::size_t sets) {
    device().written_bytes = 0;
    problem.set(sets - 1);
    return device().written_bytes;
}

TEST_F(Problems, OfSampledVariantsWriteNothing) {
    for (const std::size_t sets : {1, 3}) {
        EXPECT_EQ(written_bytes(lab::ArraySum(1000, Emulation::sampled), sets), 0u);
        EXPECT_EQ(written_bytes(lab::MatrixTranspose(30, 40, Emulation::sampled), sets), 0u);
        EXPECT_EQ(written_bytes(matmul::Product<float>({5, 7, 9}, Emulation::sampled), sets), 0u);
    }
}

// Inputs and, with poison, outputs.
TEST_F(Problems, OfWholeVariantsFillEverySet) {
    for (const std::size_t sets : {1, 3}) {
        EXPECT_GE(written_bytes(lab::ArraySum(1000), sets), sets * 3 * 1000 * sizeof(float));
        EXPECT_GE(written_bytes(lab::MatrixTranspose(30, 40), sets),
                  sets * 2 * 30 * 40 * sizeof(float));
        EXPECT_GE(written_bytes(matmul::Product<float>({5, 7, 9}), sets),
                  sets * (5 * 9 + 9 * 7 + 5 * 7) * sizeof(float));
    }
}

// Each set is as large as one that is filled, and its own.
TEST_F(Problems, OfSampledVariantsHaveTheirMemory) {
    lab::ArraySum sum(1000, Emulation::sampled);
    for (const std::size_t index : {0, 1}) {
        const auto& [a, b, c] = sum.set(index);
        EXPECT_EQ(std::tuple(a.size(), b.size(), c.size()), std::tuple(1000u, 1000u, 1000u));
    }
    EXPECT_NE(sum.set(0).a.get(), sum.set(1).a.get());
    lab::MatrixTranspose matrix(30, 40, Emulation::sampled);
    EXPECT_EQ(matrix.set(1).in.size(), 1200u);
    EXPECT_EQ(matrix.set(1).out.size(), 1200u);
    matmul::Product<float> product({5, 7, 9}, Emulation::sampled);  // m, n, k
    const auto& [a, b, c] = product.set(1);
    EXPECT_EQ(std::tuple(a.size(), b.size(), c.size()), std::tuple(45u, 63u, 35u));
}

lab::Experiment experiment() {
    std::string name = "chapter";
    char* arguments[] = {name.data(), nullptr};
    return {"10_transpose_naive", 1, arguments};
}

TEST_F(Problems, TheLargeMatrixIsSampledOnAnEmulatedGpuAlone) {
    for (const bool emulated : {false, true}) {
        device().description.emulated = emulated;
        const std::vector<lab::SquareCase> cases = lab::square_cases(experiment());
        ASSERT_EQ(cases.size(), 3u);
        for (const lab::SquareCase& each : cases) {
            const bool is_sampled = emulated && each.side == 16384;
            EXPECT_EQ(each.emulation, is_sampled ? Emulation::sampled : Emulation::whole)
                << each.side;
        }
        EXPECT_EQ(cases[2].side, 16384u);
    }
}

TEST_F(Problems, WhatIsNotSmallIsSampledOnAnEmulatedGpuAlone) {
    for (const bool emulated : {false, true}) {
        device().description.emulated = emulated;
        EXPECT_EQ(experiment().emulation(true), Emulation::whole);
        EXPECT_EQ(experiment().emulation(false), emulated ? Emulation::sampled : Emulation::whole);
    }
}

}  // namespace
