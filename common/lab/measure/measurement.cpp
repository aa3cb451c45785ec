#include "lab/measure/measurement.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "lab/program/errors.hpp"

namespace lab {
namespace {

// A batch of launches between two events lasts at least this long, so that the events' resolution
// and the first launch's latency do not show.
constexpr double batch_seconds = 1e-3;
constexpr std::size_t max_failures_listed = 5;

// The level that holds the data. "l2" when everything that is rotated through fits the L2, "dram" when it is four
// times the L2 or more; between the two neither holds.
std::string level(const Variant& variant, const DeviceDescription& device) {
    const double total = static_cast<double>(variant.working_set_bytes * variant.sets);
    const double l2 = static_cast<double>(device.l2_bytes);
    return total <= l2 ? "l2" : total >= 4 * l2 ? "dram" : "l2+dram";
}

// The fields of a row that are words, in the one text that Google Benchmark has for a row: the level,
// then `key:value`. scripts/notebook/data/documents.py takes them apart.
std::string label(const Variant& variant) {
    std::string text = level(variant, backend::description());
    if (variant.evidence == Evidence::predicted) text += " evidence:predicted";
    switch (variant.kind) {
        case Kind::memcpy:
            return text + " kind:memcpy";
        case Kind::cublas:
            return text + " kind:cublas";
        default:
            return text;
    }
}

using Launch = std::function<void(std::size_t set)>;

// After one launch that is not timed: the row before has left other pages in the TLBs. It uses the set
// whose turn is furthest away, so that cold stays cold.
Batch timed_batch(const Launch& launch, std::size_t sets, int launches, int kernels) {
    launch(sets - 1);
    const auto next = [&](int index) { launch(static_cast<std::size_t>(index) % sets); };
    return backend::timed_batch(next, launches, std::min(launches, max_launches / kernels));
}

Batch timed_batch(const Variant& variant, int launches) {
    const backend::L2SetAside set_aside(l2_set_aside_bytes(variant));
    return timed_batch(variant.launch, variant.sets, launches, variant.kernels);
}

// Outside of any batch, whose launches must not wait: the first one of a set allocates and fills it.
void launch_each_set(const Launch& launch, std::size_t sets) {
    for (std::size_t set = 0; set < sets; ++set) launch(set);
}

std::size_t sets_of_reference(const Variant& variant) {
    return variant.reference->sets > 0 ? variant.reference->sets : variant.sets;
}

// As many launches as fill a batch, in whole rounds, so that every set is used equally often.
int launches_of_batch(const Variant& variant, const BatchSize& wanted) {
    if (wanted.launches) return *wanted.launches;
    const int sets = static_cast<int>(variant.sets);
    const double once = std::max(timed_batch(variant, sets).seconds / sets, 1e-9);
    const double filling = wanted.min_seconds.value_or(batch_seconds) / once + 1;
    const int most = wanted.min_seconds ? max_batch_launches : max_launches;
    const int launches = static_cast<int>(std::min<double>(filling, most));
    return std::min((launches + sets - 1) / sets, most / sets) * sets;
}

// The variant's rate over the reference's.
double ratio_of_rates(const Variant& variant, double seconds, double reference_seconds) {
    const Reference& reference = *variant.reference;
    const double work =
        reference.bytes > 0 ? variant.bytes / reference.bytes : variant.flops / reference.flops;
    return work * reference_seconds / seconds;
}

// The row's clock, and what happened to it or to the one of the reference.
void report_clocks(benchmark::State& state, const SteadyBatch& own, const SteadyBatch& reference) {
    const ClockSample& clocks = own.batch.clocks;
    if (clocks.sm_clock_mhz > 0) state.counters["sm_clock_mhz"] = std::round(clocks.sm_clock_mhz);
    if (clocks.throttled) {
        const bool beside = reference.batch.clocks.throttled.value_or(false);
        state.counters["throttled"] = *clocks.throttled || beside ? 1 : 0;
    }
    state.counters["drifting"] = own.drifting || reference.drifting ? 1 : 0;
    state.counters["discarded_batches"] = own.discarded + reference.discarded;
}

// DRAM cannot deliver more than its peak: then the row is an error.
void check_rate(benchmark::State& state, const Variant& variant, double seconds,
                Failures& failures) {
    const double peak = backend::description().dram_bytes_per_second;
    const bool from_dram = level(variant, backend::description()) == "dram";
    if (!from_dram || peak <= 0 || variant.bytes / seconds <= peak) return;
    const std::string rate = std::to_string(variant.bytes / seconds / 1e9) + " GB/s";
    failures.emplace(variant.name, rate);
    state.SkipWithError((rate + " from DRAM, above its peak").c_str());
}

// The work of a launch over the row's time.
void report_rates(benchmark::State& state, const Variant& variant) {
    constexpr auto rate = benchmark::Counter::kIsIterationInvariantRate;
    if (variant.bytes > 0)
        state.counters["bytes_per_second"] = benchmark::Counter(variant.bytes, rate);
    if (variant.flops > 0)
        state.counters["flops_per_second"] = benchmark::Counter(variant.flops, rate);
    if (variant.items > 0)
        state.counters["items_per_second"] = benchmark::Counter(variant.items, rate);
}

}  // namespace

TimedRow::TimedRow(const Variant& variant, const BatchSize& wanted)
    : variant_(variant), warmup_seconds_(wanted.warmup_seconds) {
    if (variant.timed) return;
    if (const auto& reference = variant.reference) {
        launch_each_set(reference->launch, sets_of_reference(variant));
    }
    launch_each_set(variant.launch, variant.sets);
    launches_ = launches_of_batch(variant, wanted);
}

// Runs before the first repetition: under random order, long after the calibration.
void TimedRow::warm_up() {
    while (warmup_seconds_ > 0 && !variant_.timed) {
        warmup_seconds_ -= timed_batch(variant_, launches_).seconds;
    }
}

std::string in_words(const Failures& failures, double peak) {
    std::string text;
    std::size_t listed = 0;
    for (const auto& [name, rate] : failures) {
        if (listed == max_failures_listed) break;
        text.append(listed++ == 0 ? "" : ", ").append(name).append(" (").append(rate).append(")");
    }
    if (failures.size() > listed) {
        text += " and " + std::to_string(failures.size() - listed) + " more";
    }
    return "faster than the peak of DRAM, " + std::to_string(peak / 1e9) + " GB/s: " + text +
           "; the working set does not leave the caches, or bytes are miscounted";
}

void TimedRow::measure(benchmark::State& state, const Counters& counters, Failures& failures) {
    SteadyBatch own;
    warm_up();
    for (auto _ : state) {
        // A row that times itself takes seconds: it is not repeated.
        own = variant_.timed ? SteadyBatch{{variant_.timed(), backend::sample_clocks()}}
                             : batches_.next([&] { return timed_batch(variant_, launches_); });
        state.SetIterationTime(own.batch.seconds / launches_);
    }
    const double seconds = own.batch.seconds / launches_;
    state.SetLabel(label(variant_));
    for (const auto& [name, value] : counters) state.counters[name] = value;
    report_rates(state, variant_);
    state.counters["launches"] = launches_;
    std::optional<SteadyBatch> beside;
    if (const auto& reference = variant_.reference) {
        beside = reference_batches_.next([&] {
            return timed_batch(reference->launch, sets_of_reference(variant_), launches_,
                               reference->kernels);
        });
        state.counters[reference->counter] =
            ratio_of_rates(variant_, seconds, beside->batch.seconds / launches_);
    }
    report_clocks(state, own, beside.value_or(SteadyBatch{}));
    check_rate(state, variant_, seconds, failures);
}

void report_counts(benchmark::State& state, const Variant& variant,
                   const backend::Counted& counted) {
    const bool is_predicted = counted.predicted_seconds > 0;
    for (auto _ : state) {
        // Google Benchmark takes no time of zero: the reporter leaves out one that was not predicted.
        state.SetIterationTime(is_predicted ? counted.predicted_seconds : 1e-9);
    }
    const Counters& counters = counted.counters;
    if (is_predicted) {
        state.counters[predicted_seconds] = counted.predicted_seconds;
        report_rates(state, variant);
    }
    state.SetLabel(label(variant) +
                   (is_predicted ? " predicted_bound:" + counted.predicted_bound : ""));
    for (const auto& [name, value] : counters) {
        state.counters[name] = value;
        // The intensity of the source: what its threads compute for each byte they ask for.
        if (name == "load_lane_bytes" && value > 0 && variant.flops > 0) {
            state.counters["flops_per_loaded_byte"] = variant.flops / value;
        }
    }
}

// No time is predicted of what the host's clock times: the host's part, copies over the link and page faults are not
// modelled.
backend::PredictedL2 l2_of(const Variant& variant) {
    if (variant.timed) return backend::PredictedL2::none;
    return variant.cache == Cache::cold ? backend::PredictedL2::cold : backend::PredictedL2::warm;
}

// The ratio of the variant's rate to the one of its reference, both predicted.
void add_ratio(const Variant& variant, const backend::Counted& reference,
               backend::Counted& counted) {
    counted.counters.emplace_back(
        variant.reference->counter,
        ratio_of_rates(variant, counted.predicted_seconds, reference.busy_seconds));
}

backend::Counted predicted_alone(const Variant& variant, backend::PredictedL2 l2) {
    const auto predicted = [&](const auto& launch) {
        return backend::predicted([&] { launch(0); }, l2);
    };
    backend::Counted own = predicted(variant.launch);
    if (variant.reference) {
        predicted(variant.reference->launch);  // the first one may allocate and fill
        add_ratio(variant, predicted(variant.reference->launch), own);
    }
    return own;
}

// Launches, where there is something to launch, and compares; returns what was counted.
backend::Counted validated(const Variant& variant, backend::PredictedL2 l2) {
    if (variant.evidence == Evidence::predicted) return predicted_alone(variant, l2);
    variant.prepare();
    backend::Counted counted;
    if (variant.launch) {
        counted = backend::counted([&] { variant.launch(0); }, l2).value_or(backend::Counted{});
    }
    variant.check();
    // After the check: a reference may overwrite the output. Its first launch allocates and fills.
    if (variant.reference && counted.predicted_seconds > 0) {
        variant.reference->launch(0);
        add_ratio(variant, backend::counted([&] { variant.reference->launch(0); }, l2).value(),
                  counted);
    }
    const Counters own = variant.counters();
    counted.counters.insert(counted.counters.end(), own.begin(), own.end());
    return counted;
}

}  // namespace lab
