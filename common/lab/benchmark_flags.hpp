// Those of Google Benchmark's flags that the lab has a part in, checked before anything runs: Google
// Benchmark itself answers a wrong value with a page of usage and exit status 0.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lab {

struct BenchmarkFlags {
    std::string format = "console";   // of standard output: console, json, csv
    std::string out_format = "json";  // of the file of --benchmark_out
    bool to_file = false;
    bool tabular = false;  // a column for each counter
    bool coloured = false;
    bool lists = false;              // names alone
    bool has_time_unit = false;      // other than the lab's microseconds
    std::optional<int> repetitions;  // other than the lab's
};

// Throws UsageError for a wrong value, and for a flag that cannot have its meaning here.
BenchmarkFlags benchmark_flags(const std::vector<std::string>& arguments);

// Whether the names that --benchmark_filter asks for are those that match `expression`, without its
// leading "-", or those that do not.
struct NameFilter {
    std::string expression;
    bool negative = false;
};
NameFilter name_filter(const std::string& filter);

}  // namespace lab
