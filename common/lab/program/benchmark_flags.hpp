// Those of Google Benchmark's flags that the lab has a part in, checked before anything runs: Google
// Benchmark itself answers a wrong value with a page of usage and exit status 0.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lab {

// The user's choice of a row's batches of launches, in place of the lab's own.
struct BatchSize {
    std::optional<double> min_seconds = {};
    std::optional<int> launches = {};  // of a batch, however long they take
    double warmup_seconds = 0;         // of launches before the first batch
    bool is_given() const { return min_seconds || launches || warmup_seconds > 0; }
};
constexpr int max_batch_launches = 1'000'000'000;

struct BenchmarkFlags {
    std::string format = "console";   // of standard output: console, json, csv
    std::string out_format = "json";  // of the file of --benchmark_out
    std::string out_file;             // of --benchmark_out; "": none
    bool tabular = false;             // a column for each counter
    bool coloured = false;
    bool lists = false;              // names alone
    bool has_time_unit = false;      // other than the lab's microseconds
    std::optional<int> repetitions;  // other than the lab's
    std::string filter;              // "": all
    bool dry_run = false;            // one repetition of one launch
    BatchSize batch;                 // --benchmark_min_time, --benchmark_min_warmup_time
};

// Takes those flags out of `arguments` that only the lab obeys; throws UsageError for a wrong value.
BenchmarkFlags take_benchmark_flags(std::vector<std::string>& arguments);

// Whether the names that --benchmark_filter asks for are those that match `expression`, without its
// leading "-", or those that do not.
struct NameFilter {
    std::string expression;
    bool negative = false;
};
NameFilter name_filter(const std::string& filter);

}  // namespace lab
