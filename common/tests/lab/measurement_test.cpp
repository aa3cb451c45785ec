// What the harness makes of a GPU's times and clocks, on a GPU that plays a script: batches that are
// thrown away and repeated, whole rounds of buffer sets, ratios, rates that no DRAM delivers.
#include "lab/measure/measurement.hpp"

#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lab/experiment/experiment.hpp"
#include "lab/program/errors.hpp"
#include "scripted_device.hpp"

namespace {

using lab::TimedRow;
using scripted::device;
using scripted::Play;
using Repetition = benchmark::BenchmarkReporter::Run;

class Runs : public benchmark::BenchmarkReporter {
  public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Repetition>& runs) override {
        for (const Repetition& run : runs) {
            if (run.run_type == Repetition::RT_Iteration) runs_.push_back(run);
        }
    }
    std::vector<Repetition> runs_;
};

// The repetitions of a row.
std::vector<Repetition> measured(TimedRow& row, lab::Failures& failures, int repetitions = 1) {
    benchmark::ClearRegisteredBenchmarks();
    benchmark::RegisterBenchmark("row",
                                 [&](benchmark::State& state) { row.measure(state, {}, failures); })
        ->UseManualTime()
        ->Iterations(1)
        ->Repetitions(repetitions);
    Runs reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    return reporter.runs_;
}

double counter(const Repetition& run, const std::string& name) {
    const auto found = run.counters.find(name);
    return found == run.counters.end() ? -1 : static_cast<double>(found->second);
}

class Measurement : public testing::Test {
  protected:
    void SetUp() override { device() = {}; }

    // Which sets were launched, in order.
    std::vector<std::size_t> sets_;
    lab::Variant variant_ = {.name = "read/n:1",
                             .bytes = 1000,
                             .working_set_bytes = 1000,
                             .launch = [this](std::size_t set) { sets_.push_back(set); }};
    lab::Failures failures_;

    // A calibrated row: the plays that follow are those of its repetitions.
    TimedRow row(double seconds_per_launch = 1e-6) {
        device().plays = {{.seconds_per_launch = seconds_per_launch}};
        TimedRow calibrated(variant_);
        device().batches.clear();
        sets_.clear();
        return calibrated;
    }
};

TEST_F(Measurement, OfASteadyClockIsTheFirstBatch) {
    TimedRow timed = row();
    device().plays = {{.seconds_per_launch = 3e-6, .sm_clock_mhz = 1979.6}};
    const Repetition run = measured(timed, failures_).at(0);
    EXPECT_NEAR(run.real_accumulated_time, 3e-6, 1e-12);
    EXPECT_EQ(counter(run, "sm_clock_mhz"), 1980);
    EXPECT_EQ(counter(run, "throttled"), 0);
    EXPECT_EQ(counter(run, "drifting"), 0);
    EXPECT_EQ(counter(run, "discarded_batches"), 0);
}

TEST_F(Measurement, DiscardsAThrottledBatch) {
    TimedRow timed = row();
    device().plays = {{.seconds_per_launch = 9e-6, .throttled = true},
                      {.seconds_per_launch = 8e-6, .throttled = true},
                      {.seconds_per_launch = 3e-6}};
    const Repetition run = measured(timed, failures_).at(0);
    EXPECT_NEAR(run.real_accumulated_time, 3e-6, 1e-12);
    EXPECT_EQ(counter(run, "throttled"), 0);
    EXPECT_EQ(counter(run, "discarded_batches"), 2);
}

TEST_F(Measurement, KeepsTheLastOfADeviceThatStaysThrottledAndSaysSo) {
    TimedRow timed = row();
    device().plays.assign(10, {.seconds_per_launch = 9e-6, .throttled = true});
    const Repetition run = measured(timed, failures_).at(0);
    EXPECT_EQ(counter(run, "throttled"), 1);
    EXPECT_EQ(counter(run, "discarded_batches"), 3);
    EXPECT_EQ(device().batches.size(), 4u);
}

TEST_F(Measurement, DiscardsABatchWhoseClockIsNotThatOfTheOneBefore) {
    TimedRow timed = row();
    device().plays = {{.seconds_per_launch = 3e-6, .sm_clock_mhz = 1000},
                      {.seconds_per_launch = 4e-6, .sm_clock_mhz = 985},   // discarded
                      {.seconds_per_launch = 5e-6, .sm_clock_mhz = 980}};  // as the one before
    const std::vector<Repetition> runs = measured(timed, failures_, 2);
    EXPECT_EQ(counter(runs.at(0), "discarded_batches"), 0);
    EXPECT_EQ(counter(runs.at(1), "discarded_batches"), 1);
    EXPECT_EQ(counter(runs.at(1), "drifting"), 0);
    EXPECT_EQ(counter(runs.at(1), "sm_clock_mhz"), 980);
    EXPECT_NEAR(runs.at(1).real_accumulated_time, 5e-6, 1e-12);
}

TEST_F(Measurement, AllowsAClockOnePercent) {
    TimedRow timed = row();
    device().plays = {{.sm_clock_mhz = 1000}, {.sm_clock_mhz = 1010}, {.sm_clock_mhz = 1000}};
    for (const Repetition& run : measured(timed, failures_, 3)) {
        EXPECT_EQ(counter(run, "discarded_batches"), 0);
    }
}

TEST_F(Measurement, KeepsTheLastOfAClockThatNeverHoldsStillAndSaysSo) {
    TimedRow timed = row();
    for (int i = 0; i < 6; ++i)
        device().plays.push_back({.sm_clock_mhz = i % 2 == 0 ? 900.0 : 1000.0});
    const std::vector<Repetition> runs = measured(timed, failures_, 2);
    EXPECT_EQ(counter(runs.at(1), "drifting"), 1);
    EXPECT_EQ(counter(runs.at(1), "discarded_batches"), 3);
}

TEST_F(Measurement, DoesNotGuessWhatIsUnknown) {
    TimedRow timed = row();
    device().plays = {{.sm_clock_mhz = 900}, {.sm_clock_mhz = 0, .throttled = std::nullopt}};
    const std::vector<Repetition> runs = measured(timed, failures_, 2);
    EXPECT_EQ(counter(runs.at(1), "sm_clock_mhz"), -1);
    EXPECT_EQ(counter(runs.at(1), "throttled"), -1);
    EXPECT_EQ(counter(runs.at(1), "discarded_batches"), 0);
}

TEST_F(Measurement, ThrowsWhatTheDeviceSaysOfALaunchThatWaits) {
    TimedRow timed = row();
    device().plays = {{.error = "a launch in the batch waits for the host"}};
    EXPECT_THROW(measured(timed, failures_), lab::CudaError);
    device().plays = {{.error = "a launch in the batch waits for the host"}};
    EXPECT_THROW(TimedRow{variant_}, lab::CudaError);
}

TEST_F(Measurement, FillsAMillisecondInWholeRoundsOfSetsAfterALaunchOfTheLastOne) {
    variant_.sets = 3;
    TimedRow timed = row(1e-5);
    measured(timed, failures_);
    ASSERT_EQ(device().batches.size(), 1u);
    EXPECT_EQ(device().batches[0].launches, 102);  // 101 fill 1 ms
    ASSERT_EQ(sets_.size(), 103u);
    EXPECT_EQ(sets_[0], 2u);
    for (std::size_t i = 1; i < sets_.size(); ++i) EXPECT_EQ(sets_[i], (i - 1) % 3) << i;
}

// --benchmark_min_time=0.01s: of launches of 10 us, a thousand and what is left of a round.
TEST_F(Measurement, FillsTheTimeThatTheUserWants) {
    variant_.sets = 3;
    device().plays = {{.seconds_per_launch = 1e-5}};
    TimedRow timed(variant_, {.min_seconds = 0.01});
    device().batches.clear();
    measured(timed, failures_);
    ASSERT_EQ(device().batches.size(), 1u);
    EXPECT_EQ(device().batches[0].launches, 1002);
    EXPECT_EQ(device().batches[0].held, 512);
}

// --benchmark_min_time=10x: as many in each repetition, of the reference, too, and nothing to calibrate.
TEST_F(Measurement, LaunchesAsOftenAsTheUserWants) {
    variant_.sets = 3;
    variant_.reference = {.counter = "memcpy_ratio", .bytes = 250, .launch = [](std::size_t) {}};
    TimedRow timed(variant_, {.launches = 10});
    measured(timed, failures_, 2);
    ASSERT_EQ(device().batches.size(), 4u);
    for (const auto& batch : device().batches) EXPECT_EQ(batch.launches, 10);
}

// --benchmark_min_warmup_time=0.0025: three batches of 1 ms, before the first repetition alone.
TEST_F(Measurement, WarmsUpOnce) {
    device().plays.assign(100, {.seconds_per_launch = 1e-5});
    TimedRow timed(variant_, {.launches = 100, .warmup_seconds = 0.0025});
    EXPECT_TRUE(device().batches.empty());
    measured(timed, failures_, 2);
    EXPECT_EQ(device().batches.size(), 5u);
}

TEST_F(Measurement, LaunchesEachSetOnceBeforeAnyBatch) {
    variant_.sets = 4;
    variant_.reference = {
        .counter = "memcpy_ratio", .bytes = 1, .sets = 2, .launch = variant_.launch};
    device().plays = {{.error = "the first batch"}};
    EXPECT_THROW(TimedRow{variant_}, lab::CudaError);
    const std::vector<std::size_t> expected = {0, 1, 0, 1, 2, 3};
    ASSERT_GE(sets_.size(), expected.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), sets_.begin()));
}

TEST_F(Measurement, HoldsNoMoreThanTheQueueTakes) {
    for (const auto& [kernels, held] : {std::pair{1, 512}, {4, 128}}) {
        variant_.kernels = kernels;
        TimedRow timed = row(1e-9);
        measured(timed, failures_);
        EXPECT_EQ(device().batches.at(0).launches, 512);
        EXPECT_EQ(device().batches.at(0).held, held);
    }
}

TEST_F(Measurement, HoldsFewerLaunchesOfAReferenceOfSeveralKernels) {
    variant_.reference = {
        .counter = "cublas_ratio", .bytes = 1, .launch = [](std::size_t) {}, .kernels = 2};
    TimedRow timed = row(1e-9);
    measured(timed, failures_);
    EXPECT_EQ(device().batches.at(0).held, 512);
    EXPECT_EQ(device().batches.at(1).held, 256);
}

TEST_F(Measurement, DividesTheRateByThatOfTheReference) {
    // The reference moves a quarter of the bytes, in half the time: the variant is twice as fast.
    variant_.reference = {.counter = "memcpy_ratio", .bytes = 250, .launch = [](std::size_t) {}};
    TimedRow timed = row();
    device().plays = {{.seconds_per_launch = 4e-6}, {.seconds_per_launch = 2e-6}};
    EXPECT_NEAR(counter(measured(timed, failures_).at(0), "memcpy_ratio"), 2, 1e-9);
}

TEST_F(Measurement, SetsAPartOfTheL2AsideForTheVariantAlone) {
    variant_.reference = {.counter = "memcpy_ratio", .bytes = 250, .launch = [](std::size_t) {}};
    device().description.max_l2_set_aside_bytes = 8192;
    variant_.l2_set_aside_percent = 50;
    TimedRow timed = row();
    measured(timed, failures_);
    ASSERT_EQ(device().batches.size(), 2u);
    EXPECT_EQ(device().batches.at(0).l2_set_aside_bytes, 4096u);
    EXPECT_EQ(device().batches.at(1).l2_set_aside_bytes, 0u);
}

TEST_F(Measurement, WatchesTheClockOfTheReferenceToo) {
    variant_.reference = {.counter = "memcpy_ratio", .bytes = 250, .launch = [](std::size_t) {}};
    TimedRow timed = row();
    device().plays = {{.sm_clock_mhz = 1500},
                      {.seconds_per_launch = 9e-6, .throttled = true},
                      {.seconds_per_launch = 1e-6}};
    const Repetition run = measured(timed, failures_).at(0);
    EXPECT_EQ(counter(run, "discarded_batches"), 1);
    EXPECT_EQ(counter(run, "drifting"), 0);  // another kernel's clock is no drift
    EXPECT_EQ(counter(run, "sm_clock_mhz"), 1500);
    EXPECT_NEAR(counter(run, "memcpy_ratio"), 4, 1e-9);
}

TEST_F(Measurement, OfAThrottledReferenceIsThrottled) {
    variant_.reference = {.counter = "memcpy_ratio", .bytes = 250, .launch = [](std::size_t) {}};
    TimedRow timed = row();
    device().plays.assign(10, {.throttled = true});
    device().plays.front().throttled = false;
    EXPECT_EQ(counter(measured(timed, failures_).at(0), "throttled"), 1);
}

TEST_F(Measurement, OfWhatTimesItselfIsNotRepeated) {
    int executions = 0;
    variant_.launch = {};
    variant_.timed = [&] { return ++executions, 0.25; };
    TimedRow timed(variant_, {.min_seconds = 10, .warmup_seconds = 10});
    const Repetition run = measured(timed, failures_).at(0);
    EXPECT_EQ(executions, 1);
    EXPECT_NEAR(run.real_accumulated_time, 0.25, 1e-9);
    EXPECT_EQ(counter(run, "sm_clock_mhz"), 1234);
    EXPECT_TRUE(device().batches.empty());
}

TEST_F(Measurement, NamesWhatHoldsTheData) {
    device().description.l2_bytes = 1000;
    const std::pair<std::size_t, const char*> held[] = {
        {1000, "l2"}, {1001, "l2+dram"}, {2000, "l2+dram"}, {3999, "l2+dram"}, {4000, "dram"}};
    for (const auto& [bytes, level] : held) {
        variant_.working_set_bytes = bytes;
        TimedRow timed = row();
        device().plays = {{.seconds_per_launch = 1e-6}};
        EXPECT_EQ(measured(timed, failures_).at(0).report_label, level) << bytes;
    }
}

TEST_F(Measurement, AboveThePeakOfDramIsAnError) {
    variant_.working_set_bytes = 8 << 20;
    for (const bool above : {false, true}) {
        TimedRow timed = row();
        device().description.dram_bytes_per_second = above ? 0.999e9 : 1.001e9;
        device().plays = {{.seconds_per_launch = 1e-6}};
        measured(timed, failures_);
        EXPECT_EQ(failures_.count("read/n:1"), above ? 1u : 0u);
    }
}

// ---- on a device that does not time, but predicts

class Prediction : public Measurement {
  protected:
    void SetUp() override {
        Measurement::SetUp();
        device().description.emulated = true;
        variant_.prepare = [this] { order_ += "prepare "; };
        variant_.launch = [this](std::size_t) { take("launch ", 4e-6, 0); };
        variant_.check = [this] { order_ += "check "; };
        // A copy of a quarter of the bytes in half of the time. Before its first one it fills its buffers.
        variant_.reference = {
            .counter = "memcpy_ratio", .bytes = 250, .launch = [this](std::size_t) {
                take("copy ", 0, copies_++ == 0 ? 2e-6 + 50e-6 : 2e-6);
            }};
    }
    void take(const std::string& what, double of_kernels, double of_copies) {
        order_ += what;
        device().kernel_seconds += of_kernels;
        device().busy_seconds += of_kernels + of_copies;
    }

    std::string order_;  // of what was called
    int copies_ = 0;
};

// 1,000 bytes in 4 us over 250 in 2 us.
TEST_F(Prediction, OfARatioIsThatOfTheTwoTimes) {
    const lab::backend::Counted counted = lab::validated(variant_, lab::l2_of(variant_));
    EXPECT_EQ(counted.predicted_seconds, 4e-6);
    ASSERT_EQ(counted.counters.size(), 2u);
    EXPECT_EQ(counted.counters[0], (std::pair<std::string, double>("load_sectors", 7)));
    EXPECT_EQ(counted.counters[1].first, "memcpy_ratio");
    EXPECT_NEAR(counted.counters[1].second, 2, 1e-9);
    // A reference may overwrite what is checked.
    EXPECT_EQ(order_, "prepare launch check copy copy ");
}

TEST_F(Prediction, OfWhatHasNoTimeHasNoRatio) {
    variant_.launch = [this](std::size_t) { take("launch ", 0, 0); };
    EXPECT_EQ(lab::validated(variant_).counters.size(), 1u);
    EXPECT_EQ(order_, "prepare launch check ");
}

TEST_F(Prediction, AloneIsNeitherPreparedNorChecked) {
    variant_.evidence = lab::Evidence::predicted;
    variant_.counters = [] { return lab::Counters{{"load_requests", 1}}; };
    const lab::backend::Counted counted = lab::validated(variant_, lab::l2_of(variant_));
    EXPECT_EQ(counted.predicted_seconds, 4e-6);
    // Nothing is counted; the ratio is that of a copy into memory that is there.
    ASSERT_EQ(counted.counters.size(), 1u);
    EXPECT_EQ(counted.counters[0].first, "memcpy_ratio");
    EXPECT_NEAR(counted.counters[0].second, 2, 1e-9);
    EXPECT_EQ(order_, "launch copy copy ");
    EXPECT_EQ(device().executed, 0);
    variant_.reference.reset();
    EXPECT_TRUE(lab::validated(variant_).counters.empty());
}

TEST_F(Prediction, AloneSaysSo) {
    device().description.l2_bytes = 100;
    for (const bool alone : {false, true}) {
        variant_.evidence = alone ? lab::Evidence::predicted : lab::Evidence::counted;
        const lab::backend::Counted counted = lab::validated(variant_);
        benchmark::ClearRegisteredBenchmarks();
        benchmark::RegisterBenchmark(
            "row", [&](benchmark::State& state) { lab::report_counts(state, variant_, counted); })
            ->UseManualTime()
            ->Iterations(1);
        Runs reporter;
        benchmark::RunSpecifiedBenchmarks(&reporter);
        const Repetition& run = reporter.runs_.at(0);
        EXPECT_EQ(run.report_label, alone ? "dram evidence:predicted predicted_bound:dram"
                                          : "dram predicted_bound:dram");
        EXPECT_EQ(counter(run, "load_sectors"), alone ? -1 : 7);
        EXPECT_NEAR(counter(run, "memcpy_ratio"), 2, 1e-9);
        EXPECT_NEAR(counter(run, "predicted_seconds"), 4e-6, 1e-12);
    }
}

// What an experiment of two variants prints, the second one predicted alone.
struct Both {
    std::vector<std::string> order;
    std::weak_ptr<int> memory[2];
    std::string printed;
    explicit Both(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "chapter");
        std::vector<char*> argv;
        for (std::string& argument : arguments) argv.push_back(argument.data());
        lab::Experiment experiment("02_misaligned_reads", static_cast<int>(argv.size()),
                                   argv.data());
        for (const std::string name : {"whole/n:1", "alone/n:1"}) {
            const auto held = std::make_shared<int>(0);
            memory[name == "alone/n:1"] = held;
            const auto note = [this, name, held](const std::string& what) {
                order.push_back(name + " " + what);
                device().kernel_seconds += 1e-6;
            };
            experiment.add({.name = name,
                            .bytes = 4096,
                            .working_set_bytes = 4096,
                            .prepare = [note] { note("prepare"); },
                            .launch = [note](std::size_t) { note("launch"); },
                            .check = [note] { note("check"); },
                            .reference = lab::Reference{.counter = "memcpy_ratio",
                                                        .bytes = 1,
                                                        .launch =
                                                            [held](std::size_t) {
                                                                device().busy_seconds += 1e-6;
                                                            }},
                            .evidence = name == "alone/n:1" ? lab::Evidence::predicted
                                                            : lab::Evidence::counted});
        }
        benchmark::ClearRegisteredBenchmarks();
        testing::internal::CaptureStdout();
        const int status = experiment.run();
        printed = testing::internal::GetCapturedStdout();
        EXPECT_EQ(status, 0);
        held_after = {!memory[0].expired(), !memory[1].expired()};
    }
    std::pair<bool, bool> held_after;
};

TEST_F(Prediction, AloneIsNotShownToAProfiler) {
    const Both both({"--launch-once"});
    EXPECT_EQ(both.printed, "whole/n:1\n");
    EXPECT_EQ(both.order, (std::vector<std::string>{"whole/n:1 prepare", "whole/n:1 launch"}));
}

TEST_F(Prediction, AloneIsLeftOutWhereCountsAreAllThatIsWanted) {
    const Both both({"--counts-alone", "--small"});
    EXPECT_EQ(both.printed, "whole/n:1\n");
    EXPECT_EQ(both.order, (std::vector<std::string>{"whole/n:1 prepare", "whole/n:1 launch",
                                                    "whole/n:1 check"}));
}

TEST_F(Prediction, AloneIsNotValidatedAndHoldsNoMemoryLater) {
    const Both both({"--benchmark_format=json"});
    EXPECT_EQ(both.order, (std::vector<std::string>{"whole/n:1 prepare", "whole/n:1 launch",
                                                    "whole/n:1 check", "alone/n:1 launch"}));
    EXPECT_NE(both.printed.find("\"validated_variants\": \"1\""), std::string::npos);
    EXPECT_NE(both.printed.find("evidence:predicted"), std::string::npos);
    EXPECT_EQ(both.held_after, std::pair(true, false));
}

// As with ptxas of CUDA 12.4 and 12.5, which ignore -dlcm=cg for GPUs since Volta.
TEST_F(Prediction, RowsPastTheL1AreLeftOutWhereTheirLoadsWouldNotPassIt) {
    for (const bool has_l1_off : {true, false}) {
        device().description.has_l1_off = has_l1_off;
        std::string name = "chapter", flag = "--launch-once";
        char* argv[] = {name.data(), flag.data()};
        lab::Experiment experiment("03_l1_cache", 2, argv);
        testing::internal::CaptureStderr();
        for (const std::string row : {"read/l1:on/n:1", "read/l1:off/n:1", "write/l1:off/n:1"}) {
            experiment.add(
                {.name = row, .bytes = 4096, .working_set_bytes = 4096, .launch = [](std::size_t) {
                 }});
        }
        testing::internal::CaptureStdout();
        EXPECT_EQ(experiment.run(), 0);
        const std::string printed = testing::internal::GetCapturedStdout();
        const std::string said = testing::internal::GetCapturedStderr();
        EXPECT_EQ(printed, has_l1_off ? "read/l1:on/n:1\nread/l1:off/n:1\nwrite/l1:off/n:1\n"
                                      : "read/l1:on/n:1\n");
        EXPECT_EQ(std::ranges::count(said, '\n'), has_l1_off ? 0 : 1) << said;
    }
}

}  // namespace
