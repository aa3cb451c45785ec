// Which rows a device executes, and how much of each, on a device that a test writes down.
#include "lab/experiment/admission.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "problems/matrix_transpose.hpp"
#include "scripted_device.hpp"

namespace {

using lab::Admission;
using lab::Evidence;
using lab::Variant;
using scripted::device;

constexpr std::size_t mib = 1 << 20;

class Rows : public testing::Test {
  protected:
    void SetUp() override {
        device() = {};
        device().description.l2_bytes = mib;
    }
    void emulate() { device().description.emulated = true; }

    Admission admission_;
};

Variant row(std::size_t bytes, double flops = 0) {
    return {.name = "row/n:1", .flops = flops, .working_set_bytes = bytes};
}

Variant with_grid(std::size_t x, std::size_t y = 1) {
    Variant wide = row(4);
    wide.shape.grid = {x, y, 1};
    return wide;
}

// The decision about a row, and the line that it adds.
struct Decision {
    bool admitted;
    Variant row;
    std::string said;
};
Decision decide(Admission& admission, Variant row) {
    const std::size_t before = admission.left_out().size();
    const bool admitted = admission.admits(row);
    const bool says = admission.left_out().size() > before;
    return {admitted, row, says ? admission.left_out().back() : ""};
}

TEST_F(Rows, AreCountedUpTo64MibAndTwoBillionOperationsOnAnEmulatedGpu) {
    emulate();
    const auto evidence = [&](const Variant& row) { return decide(admission_, row).row.evidence; };
    EXPECT_EQ(evidence(row(64 * mib)), Evidence::counted);
    EXPECT_EQ(evidence(row(64 * mib + 1)), Evidence::predicted);
    EXPECT_EQ(evidence(row(12 * mib, 2.0 * 1024 * 1024 * 1024)), Evidence::predicted);
    EXPECT_EQ(evidence(row(12 * mib, 2.0 * 256 * 256 * 256)), Evidence::counted);
}

TEST_F(Rows, KeepTheEvidenceThatTheyAskForOnAnEmulatedGpu) {
    emulate();
    for (const Evidence wanted : {Evidence::counted, Evidence::predicted}) {
        for (const std::size_t bytes : {std::size_t{4}, 1024 * mib}) {
            Variant asking = row(bytes);
            asking.evidence = wanted;
            EXPECT_EQ(decide(admission_, asking).row.evidence, wanted);
        }
    }
}

TEST_F(Rows, AreAllMeasuredOnAGpu) {
    for (const Evidence wanted :
         {Evidence::by_size, Evidence::counted, Evidence::predicted, Evidence::measured}) {
        Variant asking = row(1024 * mib, 1e12);
        asking.evidence = wanted;
        const Decision decision = decide(admission_, asking);
        EXPECT_TRUE(decision.admitted);
        EXPECT_EQ(decision.row.evidence, Evidence::measured);
        EXPECT_EQ(decision.said, "");
    }
}

TEST_F(Rows, ThatOnlyAMeasurementTellsAreLeftOutOnAnEmulatedGpu) {
    emulate();
    Variant measured = row(4);
    measured.evidence = Evidence::measured;
    const Decision decision = decide(admission_, measured);
    EXPECT_FALSE(decision.admitted);
    EXPECT_EQ(decision.said, "");
    EXPECT_FALSE(admission_.admits_validation(measured));
}

TEST_F(Rows, OfTheBooksMatrixAreCountedAndOfTheLargeOnePredicted) {
    emulate();
    for (const auto [side, cache] : lab::square_cases) {
        Variant transpose =
            lab::MatrixTranspose(side, side)
                .copy_row("copy", cache, [](const float*, float*, std::size_t, std::size_t) {});
        EXPECT_TRUE(admission_.admits(transpose));
        EXPECT_EQ(transpose.evidence, side == 2048 ? Evidence::counted : Evidence::predicted);
    }
}

// Fermi's limits.
TEST_F(Rows, ThatNoGridOfTheDeviceCoversAreLeftOut) {
    device().description.max_grid = {65535, 65535, 65535};
    EXPECT_TRUE(decide(admission_, with_grid(65535)).admitted);
    const Decision wide = decide(admission_, with_grid(65536));
    EXPECT_FALSE(wide.admitted);
    EXPECT_EQ(wide.said,
              "rows left out: grids of this GPU have at most 65535 blocks in x (the first: "
              "row/n:1)");
    EXPECT_FALSE(decide(admission_, with_grid(1, 65536)).admitted);
    EXPECT_FALSE(admission_.admits_validation(with_grid(65536)));
}

TEST_F(Rows, WhoseBlocksTheDeviceCannotHoldAreLeftOut) {
    Variant threads = row(4), shared = row(4);
    threads.shape.threads = 1024;
    shared.shape.shared_bytes = 48 << 10;
    EXPECT_TRUE(decide(admission_, threads).admitted);
    EXPECT_TRUE(decide(admission_, shared).admitted);
    ++threads.shape.threads;
    ++shared.shape.shared_bytes;
    EXPECT_FALSE(decide(admission_, threads).admitted);
    EXPECT_FALSE(decide(admission_, shared).admitted);
}

TEST_F(Rows, SayOnceWhatTheDeviceLacks) {
    device().description.compute_capability = 8;
    Variant bulk = row(4), hinted = row(4);
    bulk.needs = {9, "bulk copies"};
    hinted.needs = {8, "eviction priorities"};
    EXPECT_EQ(decide(admission_, bulk).said,
              "rows left out: bulk copies need compute capability 9.0 or newer (the first: "
              "row/n:1)");
    const Decision again = decide(admission_, bulk);
    EXPECT_FALSE(again.admitted);
    EXPECT_EQ(again.said, "");
    EXPECT_TRUE(decide(admission_, hinted).admitted);
}

// A GPU of compute capability 7.0 with code for 6.0: its kernels lack what came between.
TEST_F(Rows, ThatAreCompiledForAnOlderDeviceAreLeftOut) {
    Variant waiting = row(4);
    waiting.needs = {7, "warps that wait", true};
    device().compiled_for = 6;
    EXPECT_FALSE(decide(admission_, waiting).admitted);
    device().compiled_for = 7;
    EXPECT_TRUE(decide(admission_, waiting).admitted);
}

TEST_F(Rows, NeedADeviceThatSetsItsL2AsideOrMigratesPages) {
    Variant aside = lab::with_l2_set_aside(row(4), 30);
    EXPECT_EQ(aside.name, "row/l2_set_aside:30/n:1");
    EXPECT_FALSE(decide(admission_, aside).admitted);
    device().description.max_l2_set_aside_bytes = 1000;
    EXPECT_TRUE(decide(admission_, aside).admitted);
    EXPECT_EQ(lab::l2_set_aside_bytes(aside), 300u);

    Variant managed = row(4);
    managed.migrates = true;
    EXPECT_FALSE(decide(admission_, managed).admitted);
    device().has_managed_memory = true;
    EXPECT_TRUE(decide(admission_, managed).admitted);
}

TEST_F(Rows, PastTheL1AreLeftOutWhereTheirLoadsWouldNotPassIt) {
    Variant past = row(4);
    past.name = "read_offset/l1:off/offset:0";
    EXPECT_TRUE(decide(admission_, past).admitted);
    device().description.has_l1_off = false;
    EXPECT_FALSE(decide(admission_, past).admitted);
    EXPECT_TRUE(decide(admission_, row(4)).admitted);
}

TEST_F(Rows, ShareNineTenthsOfTheFreeMemory) {
    device().free_bytes = 1000;
    int problem = 0;
    Variant first = row(600), same = row(700);
    first.buffers = same.buffers = &problem;
    EXPECT_TRUE(decide(admission_, first).admitted);
    EXPECT_TRUE(decide(admission_, same).admitted);  // 700 of both
    EXPECT_FALSE(decide(admission_, row(201)).admitted);
    EXPECT_TRUE(decide(admission_, row(200)).admitted);
    EXPECT_FALSE(decide(admission_, row(1)).admitted);
}

TEST_F(Rows, OfAnEmulatedGpuHaveItsHostsMemoryOneAfterAnother) {
    emulate();
    device().free_bytes = 1000;
    EXPECT_TRUE(decide(admission_, row(1024 * mib)).admitted);
}

// More than four times the L2 in all.
TEST_F(Rows, RotateThroughAsManySetsAsLeaveTheL2) {
    EXPECT_EQ(lab::sets_of(lab::Cache::warm, mib), 1u);
    EXPECT_EQ(lab::sets_of(lab::Cache::cold, mib), 5u);
    EXPECT_EQ(lab::sets_of(lab::Cache::cold, 4 * mib), 2u);
    EXPECT_EQ(lab::sets_of(lab::Cache::cold, 4 * mib + 1), 1u);
    for (const std::size_t tiny : {0, 4}) {
        EXPECT_EQ(lab::sets_of(lab::Cache::cold, tiny), 512u);
    }
    Variant cold = row(mib);
    cold.cache = lab::Cache::cold;
    EXPECT_EQ(decide(admission_, cold).row.sets, 5u);
    cold.working_set_bytes = 8 * mib;
    cold.min_sets = 2;
    EXPECT_EQ(decide(admission_, cold).row.sets, 2u);
    emulate();
    EXPECT_EQ(decide(admission_, cold).row.sets, 1u);
}

}  // namespace
