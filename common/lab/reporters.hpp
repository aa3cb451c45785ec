// Google Benchmark's reporters, without the suffixes (/iterations:1/repeats:10/manual_time) that it
// adds to names: a row is called what its variant is called. Where nothing was timed there are no times.
#pragma once

#include <string>

#include "lab/benchmark_flags.hpp"

namespace lab {

// Counters of Google Benchmark are numbers: a word is reported as its number, which the JSON turns into the
// word again.
constexpr const char* predicted_seconds_counter = "predicted_seconds";
constexpr const char* predicted_bound_counter = "predicted_bound";
double number_of_word(const std::string& word);

// Runs the registered benchmarks and reports them on standard output, and to the file of --benchmark_out,
// in the formats of the flags. `timed`: whether rows are times, or counts alone.
void run_and_report(const BenchmarkFlags& flags, bool timed);

}  // namespace lab
