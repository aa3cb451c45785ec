#include "lab/reporters.hpp"

#include <benchmark/benchmark.h>

#include <vector>

namespace lab {
namespace {

template <class Reporter>
class PlainNames : public Reporter {
  public:
    using Reporter::Reporter;

    void ReportRuns(const std::vector<benchmark::BenchmarkReporter::Run>& runs) override {
        std::vector<benchmark::BenchmarkReporter::Run> renamed = runs;
        for (auto& run : renamed) {
            run.run_name.iterations.clear();
            run.run_name.repetitions.clear();
            run.run_name.time_type.clear();
        }
        Reporter::ReportRuns(renamed);
    }
};

}  // namespace

void run_and_report(bool json_output, bool to_file) {
    PlainNames<benchmark::ConsoleReporter> table(benchmark::ConsoleReporter::OO_None);
    PlainNames<benchmark::JSONReporter> json;
    PlainNames<benchmark::JSONReporter> file;
    benchmark::BenchmarkReporter* const display =
        json_output ? static_cast<benchmark::BenchmarkReporter*>(&json) : &table;
    benchmark::RunSpecifiedBenchmarks(display, to_file ? &file : nullptr);
}

}  // namespace lab
