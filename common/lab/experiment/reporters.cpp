#include "lab/experiment/reporters.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "lab/measure/measurement.hpp"
#include "lab/program/errors.hpp"

namespace lab {
namespace {

using benchmark::BenchmarkReporter;
using Runs = std::vector<BenchmarkReporter::Run>;

template <class Reporter>
class PlainNames : public Reporter {
  public:
    template <class... Arguments>
    explicit PlainNames(bool timed, Arguments... arguments)
        : Reporter(arguments...), timed_(timed) {}

    void ReportRuns(const Runs& runs) override { Reporter::ReportRuns(renamed(runs)); }

  protected:
    Runs renamed(const Runs& runs) const {
        Runs renamed = runs;
        for (auto& run : renamed) {
            run.run_name.iterations.clear();
            run.run_name.repetitions.clear();
            run.run_name.time_type.clear();
            // The coefficient of variation of a counter that stays 0 is 0/0, which JSON cannot hold.
            if (run.run_type == BenchmarkReporter::Run::RT_Aggregate) {
                std::erase_if(run.counters, [](const auto& counter) {
                    return !std::isfinite(static_cast<double>(counter.second));
                });
            }
            if (timed_) continue;
            run.cpu_accumulated_time = 0;
            if (run.counters.count(predicted_seconds) == 0) run.real_accumulated_time = 0;
        }
        return renamed;
    }

    bool timed_;
};

// The table. Google Benchmark's context is about the CPU, and about how its library was built.
class Table : public PlainNames<benchmark::ConsoleReporter> {
  public:
    using PlainNames::PlainNames;

    bool ReportContext(const Context& context) override {
        name_field_width_ = context.name_field_width;
        printed_header_ = false;
        prev_counters_.clear();
        return true;
    }
};

// The table where nothing was timed: names and counters.
class Counts : public Table {
  public:
    using Table::Table;

  protected:
    void PrintHeader(const Run& run) override {
        std::string line = padded("Benchmark");
        if (is_tabular()) {
            for (const auto& [name, counter] : run.counters) line += right(name, width(name));
        }
        const std::string rule(line.size(), '-');
        GetOutputStream() << rule << '\n' << line << '\n' << rule << '\n';
    }

    void PrintRunData(const Run& run) override {
        std::string line = padded(run.benchmark_name());
        for (const auto& [name, counter] : run.counters) {
            char value[32];
            std::snprintf(value, sizeof value, "%.10g", static_cast<double>(counter.value));
            if (is_tabular()) {
                line += right(value, width(name));
            } else {
                line.append(" ").append(name).append("=").append(value);
            }
        }
        GetOutputStream() << line << '\n';
    }

  private:
    bool is_tabular() const { return (output_options_ & OO_Tabular) != 0; }
    static std::size_t width(const std::string& name) {
        return std::max<std::size_t>(name.size(), 10);
    }
    static std::string right(const std::string& text, std::size_t width) {
        return std::string(1 + width - std::min(width, text.size()), ' ').append(text);
    }
    std::string padded(std::string text) const {
        text.resize(std::max(text.size(), name_field_width_), ' ');
        return text;
    }
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
// All rows at once: the header of Google Benchmark's has the counters of the first rows that it gets.
class Csv : public PlainNames<benchmark::CSVReporter> {
  public:
    using PlainNames::PlainNames;

    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const Runs& runs) override {
        all_.insert(all_.end(), runs.begin(), runs.end());
    }
    void Finalize() override {
        std::ostream& stream = GetOutputStream();
        std::stringstream lines;
        SetOutputStream(&lines);
        PlainNames::ReportRuns(all_);
        SetOutputStream(&stream);
        for (std::string line; std::getline(lines, line);) {
            stream << (timed_ ? line : without_times(line)) << '\n';
        }
        PlainNames::Finalize();
    }

  private:
    // real_time and cpu_time of a row empty: nothing was timed, and a predicted time has a column of its own.
    static std::string without_times(const std::string& line) {
        if (!line.starts_with('"')) return line;  // the header
        const std::size_t name_end = line.find("\",");
        const std::size_t real = line.find(',', name_end + 2);
        const std::size_t cpu = line.find(',', real + 1);
        const std::size_t unit = line.find(',', cpu + 1);
        return line.substr(0, real) + ",," + line.substr(unit);
    }

    Runs all_;
};
#pragma GCC diagnostic pop

std::unique_ptr<BenchmarkReporter> reporter(const std::string& format, bool timed, bool tabular,
                                            bool coloured) {
    using Console = benchmark::ConsoleReporter;
    if (format == "json") return std::make_unique<PlainNames<benchmark::JSONReporter>>(timed);
    if (format == "csv") return std::make_unique<Csv>(timed);
    const auto options = static_cast<Console::OutputOptions>((tabular ? Console::OO_Tabular : 0) |
                                                             (coloured ? Console::OO_Color : 0));
    if (!timed) return std::make_unique<Counts>(timed, options);
    return std::make_unique<Table>(timed, options);
}

std::unique_ptr<BenchmarkReporter> file_reporter(const BenchmarkFlags& flags, bool timed) {
    if (flags.out_file.empty()) return nullptr;
    return reporter(flags.out_format, timed, false, false);
}

}  // namespace

void run_and_report(const BenchmarkFlags& flags, bool timed) {
    const auto display = reporter(flags.format, timed, flags.tabular, flags.coloured);
    const auto file = file_reporter(flags, timed);
    benchmark::RunSpecifiedBenchmarks(display.get(), file.get());
}

void report_no_rows(const BenchmarkFlags& flags, bool timed) {
    const auto file = file_reporter(flags, timed);
    if (!file) return;
    std::ofstream out(flags.out_file);
    file->SetOutputStream(&out);
    file->ReportContext({});
    file->Finalize();
    if (!out.flush()) throw UsageError("--benchmark_out=" + flags.out_file + " cannot be written");
}

}  // namespace lab
