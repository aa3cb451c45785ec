// Google Benchmark's flags mean what they mean there: formats of both outputs, columns, repetitions,
// aggregates, negative filters; and where nothing was timed, no time is shown.
#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "lab/experiment/reporters.hpp"
#include "lab/measure/progress.hpp"
#include "lab/program/benchmark_flags.hpp"
#include "lab/program/errors.hpp"

namespace lab {
namespace {

using Arguments = std::vector<std::string>;

BenchmarkFlags flags_of(Arguments arguments) { return take_benchmark_flags(arguments); }

std::string message_of(const Arguments& arguments) {
    try {
        flags_of(arguments);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(BenchmarkFlags, AreThoseOfTheLabWithoutAny) {
    const BenchmarkFlags flags = flags_of({"program", "--workers=2"});
    EXPECT_EQ(flags.format, "console");
    EXPECT_EQ(flags.out_format, "json");
    EXPECT_EQ(flags.out_file, "");
    EXPECT_FALSE(flags.tabular || flags.lists || flags.has_time_unit);
    EXPECT_FALSE(flags.repetitions || flags.dry_run || flags.batch.is_given());
    EXPECT_EQ(flags.filter, "");
}

TEST(BenchmarkFlags, AreRead) {
    const BenchmarkFlags flags = flags_of(
        {"program", "--benchmark_format=json", "--benchmark_format=csv", "--benchmark_out=file",
         "--benchmark_out_format=console", "--benchmark_counters_tabular",
         "--benchmark_list_tests=true", "--benchmark_time_unit=ms", "--benchmark_repetitions=7"});
    EXPECT_EQ(flags.format, "csv");  // the last of several, as in Google Benchmark
    EXPECT_EQ(flags.out_format, "console");
    EXPECT_EQ(flags.out_file, "file");
    EXPECT_TRUE(flags.tabular && flags.lists && flags.has_time_unit);
    EXPECT_EQ(flags.repetitions, 7);
    EXPECT_FALSE(flags_of({"--benchmark_list_tests=false"}).lists);
    for (const char* colour : {"true", "yes", "1"}) {
        EXPECT_TRUE(flags_of({std::string("--benchmark_color=") + colour}).coloured) << colour;
    }
}

// Seconds with no letter are how Google Benchmark up to 1.7 writes them, "0.5s" and "10x" since 1.8.
TEST(BenchmarkFlags, SayHowLongABatchIs) {
    for (const char* text : {"0.5", "0.5s", "5e-1s"}) {
        const BatchSize batch = flags_of({std::string("--benchmark_min_time=") + text}).batch;
        EXPECT_EQ(batch.min_seconds, 0.5) << text;
        EXPECT_FALSE(batch.launches) << text;
    }
    const BatchSize batch = flags_of({"--benchmark_min_time=10x"}).batch;
    EXPECT_EQ(batch.launches, 10);
    EXPECT_FALSE(batch.min_seconds);
    EXPECT_EQ(flags_of({"--benchmark_min_warmup_time=0.25"}).batch.warmup_seconds, 0.25);
    EXPECT_TRUE(flags_of({"--benchmark_dry_run"}).dry_run);
    EXPECT_FALSE(flags_of({"--benchmark_dry_run=false"}).dry_run);
}

TEST(BenchmarkFlags, OfTheLabAreHiddenFromGoogleBenchmark) {
    Arguments arguments = {"program",
                           "--benchmark_filter=a",
                           "--benchmark_min_time=10x",
                           "--benchmark_format=csv",
                           "--benchmark_min_warmup_time=1",
                           "--benchmark_dry_run=true",
                           "--benchmark_filter=b"};
    const BenchmarkFlags flags = take_benchmark_flags(arguments);
    EXPECT_EQ(flags.filter, "b");  // the last of several, as in Google Benchmark
    EXPECT_EQ(arguments, (Arguments{"program", "--benchmark_format=csv"}));
}

TEST(BenchmarkFlags, OfWrongValuesAreRefused) {
    EXPECT_EQ(message_of({"--benchmark_format=xml"}),
              "--benchmark_format=xml: valid: console, json, csv");
    EXPECT_NE(message_of({"--benchmark_out_format=CSV"}), "");
    EXPECT_NE(message_of({"--benchmark_time_unit=hours"}), "");
    EXPECT_NE(message_of({"--benchmark_counters_tabular=maybe"}), "");
    for (const char* number : {"0", "-1", "2x", "", "99999999999"}) {
        EXPECT_NE(message_of({std::string("--benchmark_repetitions=") + number}), "") << number;
    }
    for (const char* time : {"", "s", "x", "-1s", "nan", "inf", "0x", "-1x", "1.5x", "1m", "4000s",
                             "99999999999x", " 1", "true"}) {
        const std::string flag = std::string("--benchmark_min_time=") + time;
        EXPECT_EQ(message_of({flag}),
                  flag + ": expected seconds (0.5s, at most 3600s) or launches of a batch (10x)");
    }
    EXPECT_NE(message_of({"--benchmark_min_time"}), "");
    EXPECT_NE(message_of({"--benchmark_min_warmup_time=10x"}), "");
    EXPECT_NE(message_of({"--benchmark_dry_run=maybe"}), "");
}

TEST(NameFilter, MayBeNegative) {
    EXPECT_EQ(name_filter("a/b").expression, "a/b");
    EXPECT_FALSE(name_filter("a/b").negative);
    EXPECT_EQ(name_filter("-a/b").expression, "a/b");
    EXPECT_TRUE(name_filter("-a/b").negative);
    EXPECT_EQ(name_filter("all").expression, ".");
}

// What is printed of two rows, of which the second has a counter more.
std::string printed(const BenchmarkFlags& flags, bool timed, double stored = 4) {
    benchmark::ClearRegisteredBenchmarks();
    const auto row = [stored](bool second) {
        return [second, stored](benchmark::State& state) {
            for (auto _ : state) state.SetIterationTime(0.25);
            state.counters["load_sectors"] = second ? 5 : 1234567890;
            if (second) state.counters["store_sectors"] = stored;
        };
    };
    for (const bool second : {false, true}) {
        benchmark::RegisterBenchmark(second ? "second/n:2" : "first/n:1", row(second))
            ->UseManualTime()
            ->Iterations(1)
            ->Repetitions(flags.repetitions.value_or(1));
    }
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    run_and_report(flags, timed);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "");  // nothing about a CPU, or a DEBUG library
    return testing::internal::GetCapturedStdout();
}

TEST(Reports, OfCountsShowNoTime) {
    const std::string table = printed({}, false);
    EXPECT_NE(table.find("load_sectors=1234567890"), std::string::npos) << table;
    EXPECT_NE(table.find("first/n:1 "), std::string::npos) << table;
    EXPECT_EQ(table.find("Time"), std::string::npos) << table;
    EXPECT_EQ(table.find(" ns"), std::string::npos) << table;
    EXPECT_EQ(table.find("250"), std::string::npos) << table;
    EXPECT_NE(printed({}, true).find("250"), std::string::npos);
}

TEST(Reports, HaveAColumnForEachCounter) {
    BenchmarkFlags flags;
    flags.tabular = true;
    for (const bool timed : {false, true}) {
        const std::string table = printed(flags, timed);
        EXPECT_NE(table.find(" load_sectors"), std::string::npos) << table;
        EXPECT_EQ(table.find("load_sectors="), std::string::npos) << table;
    }
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// A column is as wide as its name, ten at least, behind one blank.
TEST(Reports, OfCountsStandBelowTheirNames) {
    benchmark::ClearRegisteredBenchmarks();
    benchmark::RegisterBenchmark("a_kernel/n:1",
                                 [](benchmark::State& state) {
                                     for (auto _ : state) state.SetIterationTime(1);
                                     state.counters["x"] = 7;
                                     state.counters["ten_chars_"] = 12;
                                     state.counters["shared_load_wavefronts"] = 1234567890123;
                                 })
        ->UseManualTime()
        ->Iterations(1);
    BenchmarkFlags flags;
    flags.tabular = true;
    testing::internal::CaptureStdout();
    run_and_report(flags, false);
    const auto lines = lines_of(testing::internal::GetCapturedStdout());
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(lines[0], lines[2]);
    EXPECT_EQ(lines[0], std::string(lines[1].size(), '-'));
    EXPECT_EQ(lines[3].size(), lines[1].size());
    EXPECT_TRUE(lines[1].starts_with("Benchmark ")) << lines[1];
    EXPECT_TRUE(lines[1].ends_with("  shared_load_wavefronts ten_chars_          x")) << lines[1];
    EXPECT_TRUE(lines[3].starts_with("a_kernel/n:1 ")) << lines[3];
    EXPECT_TRUE(lines[3].ends_with("          1.23456789e+12         12          7")) << lines[3];
}

TEST(Reports, OfCountsSayEachCounterOnceWithoutColumns) {
    const auto lines = lines_of(printed({}, false));
    ASSERT_EQ(lines.size(), 5u);
    EXPECT_TRUE(lines[3].starts_with("first/n:1 ")) << lines[3];
    EXPECT_TRUE(lines[3].ends_with(" load_sectors=1234567890")) << lines[3];
    EXPECT_TRUE(lines[4].starts_with("second/n:2 ")) << lines[4];
    EXPECT_TRUE(lines[4].ends_with(" load_sectors=5 store_sectors=4")) << lines[4];
    // Names are padded to one width.
    EXPECT_EQ(lines[3].find("load_sectors"), lines[4].find("load_sectors"));
    EXPECT_EQ(lines[1].size() + 1, lines[3].find("load_sectors"));
}

TEST(Reports, AreCommaSeparatedValues) {
    BenchmarkFlags flags;
    flags.format = "csv";
    std::istringstream lines(printed(flags, true));
    std::string header, first, second;
    std::getline(lines, header);
    std::getline(lines, first);
    std::getline(lines, second);
    EXPECT_EQ(header.rfind("name,iterations,real_time", 0), 0u) << header;
    // A counter that the first row lacks has its column all the same.
    EXPECT_NE(header.find(R"("load_sectors","store_sectors")"), std::string::npos) << header;
    EXPECT_EQ(first.rfind(R"("first/n:1",1,)", 0), 0u) << first;
    EXPECT_EQ(second.substr(second.size() - 4), ",5,4") << second;
}

TEST(Reports, OfCountsHaveNoTimeInCommaSeparatedValues) {
    BenchmarkFlags flags;
    flags.format = "csv";
    std::istringstream lines(printed(flags, false));
    std::string header, first;
    std::getline(lines, header);
    std::getline(lines, first);
    EXPECT_EQ(header.rfind("name,iterations,real_time,cpu_time,time_unit,", 0), 0u) << header;
    EXPECT_EQ(first.rfind(R"("first/n:1",1,,,ns,)", 0), 0u) << first;
    EXPECT_EQ(std::count(first.begin(), first.end(), ','),
              std::count(header.begin(), header.end(), ','));
}

TEST(Reports, RepeatAndAggregate) {
    BenchmarkFlags flags;
    flags.repetitions = 2;
    const std::string table = printed(flags, true);
    EXPECT_NE(table.find("first/n:1_mean"), std::string::npos) << table;
}

// Google Benchmark divides the deviation of a counter by its mean: 0/0 where it stays 0, "NaN" in JSON.
TEST(Reports, HoldOnlyNumbers) {
    BenchmarkFlags flags;
    flags.format = "json";
    flags.repetitions = 2;
    const std::string json = printed(flags, true, 0);
    EXPECT_NE(json.find("second/n:2_cv"), std::string::npos) << json;
    EXPECT_NE(json.find(R"("store_sectors": 0)"), std::string::npos) << json;
    EXPECT_EQ(json.find("NaN"), std::string::npos) << json;
}

// Where a device executes no row of a chapter: a result all the same, with its context.
TEST(Reports, CanHaveNoRows) {
    BenchmarkFlags flags;
    flags.out_file = testing::TempDir() + "no_rows.json";
    report_no_rows(flags, false);
    std::stringstream json;
    json << std::ifstream(flags.out_file).rdbuf();
    EXPECT_NE(json.str().find("\"context\": {"), std::string::npos) << json.str();
    EXPECT_TRUE(json.str().ends_with("\"benchmarks\": [\n\n  ]\n}\n")) << json.str();
    flags.out_file = testing::TempDir() + "no_folder/no_rows.json";
    EXPECT_THROW(report_no_rows(flags, false), UsageError);
}

// Standard error is no terminal here: the first and the last line, whatever lies between.
TEST(Progress, IsShortInALog) {
    testing::internal::CaptureStderr();
    {
        Progress progress("validate", 100);
        for (int i = 0; i < 100; ++i) progress.step("name");
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "[lab] validate 1/100 name\n[lab] validate 100/100 name\n");
}

}  // namespace
}  // namespace lab
