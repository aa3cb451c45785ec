// One row of the table: launched for its result, and then timed on a GPU or reported as counted.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>

#include "lab/device/backend.hpp"
#include "lab/device/variant.hpp"
#include "lab/measure/steady_batches.hpp"
#include "lab/program/benchmark_flags.hpp"

namespace lab {

// The counter of rows whose time was predicted: only they have a time where nothing was timed.
constexpr const char* predicted_seconds = "predicted_seconds";

// Half of what waits in a device's queue before the host is made to wait: no batch has more, unless the
// user asked for a longer one. What is beyond is launched while the first ones run.
constexpr int max_launches = 512;

// The state of the L2 that a timed launch of the variant meets, by its cache.
backend::PredictedL2 l2_of(const Variant& variant);

// Launches, where there is something to launch, and compares; returns what was counted.
backend::Counted validated(const Variant& variant,
                           backend::PredictedL2 l2 = backend::PredictedL2::none);

// The variants that seem to move more bytes from DRAM than it can deliver, with their rates.
using Failures = std::map<std::string, std::string>;
std::string in_words(const Failures& failures, double peak);

// The timing of a row on a GPU.
class TimedRow {
  public:
    // Finds out how many launches make a batch.
    explicit TimedRow(const Variant& variant, const BatchSize& wanted = {});
    // A repetition: times a batch, then the reference.
    void measure(benchmark::State& state, const Counters& counters, Failures& failures);

  private:
    void warm_up();

    const Variant& variant_;
    int launches_ = 1;
    double warmup_seconds_ = 0;  // still to come
    SteadyBatches batches_, reference_batches_;
};

// A repetition on a device that counts.
void report_counts(benchmark::State& state, const Variant& variant,
                   const backend::Counted& counted);

}  // namespace lab
