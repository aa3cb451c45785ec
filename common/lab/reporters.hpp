// Google Benchmark's reporters, without the suffixes (/iterations:1/repeats:10/manual_time) that it
// adds to names: a row is called what its variant is called.
#pragma once

namespace lab {

// Runs the registered benchmarks: a table on standard output (or JSON, when `json_output`), and the
// file of --benchmark_out when `to_file`.
void run_and_report(bool json_output, bool to_file);

}  // namespace lab
