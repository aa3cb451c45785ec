// Google Benchmark's reporters, without the suffixes (/iterations:1/repeats:10/manual_time) that it
// adds to names: a row is called what its variant is called. Where nothing was timed there are no times.
#pragma once

#include "lab/program/benchmark_flags.hpp"

namespace lab {

// Runs the registered benchmarks and reports them on standard output, and to the file of --benchmark_out,
// in the formats of the flags. `timed`: whether rows are times, or counts alone.
void run_and_report(const BenchmarkFlags& flags, bool timed);

// For a device that executes no row of a chapter: the file of --benchmark_out with its context and no rows. Google
// Benchmark itself takes that for a filter that matches nothing, and writes no file.
void report_no_rows(const BenchmarkFlags& flags, bool timed);

}  // namespace lab
