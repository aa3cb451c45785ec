#include "lab/experiment.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <regex>

#include "lab/command_line.hpp"
#include "lab/device_buffer.hpp"
#include "lab/errors.hpp"
#include "lab/progress.hpp"
#include "lab/reporters.hpp"

namespace lab {
namespace {

constexpr int repetitions = 5;
constexpr int quick_repetitions = 2;
// A batch of launches between two events lasts at least this long, so that the events' resolution
// and the first launch's latency do not show.
constexpr double batch_seconds = 1e-3;
// Half of what waits in a device's queue before the host is made to wait.
constexpr int max_launches = 512;
// Smaller working sets than a 512th of four L2s do not get cold; their label says so.
constexpr std::size_t max_sets = max_launches;
constexpr std::size_t max_failures_listed = 5;

int fail(ExitStatus status, const std::string& what) {
    std::fprintf(stderr, "error: %s\n", what.c_str());
    return status;
}

// What holds the data. "l2" when everything that is rotated through fits the L2, "dram" when it is four
// times the L2 or more; between the two neither holds.
std::string level(const Variant& variant, const DeviceDescription& device) {
    const double total = static_cast<double>(variant.working_set_bytes * variant.sets);
    const double l2 = static_cast<double>(device.l2_bytes);
    return total <= l2 ? "l2" : total >= 4 * l2 ? "dram" : "l2+dram";
}

// The fields of a row that are words, in the one text that Google Benchmark has for a row: the level,
// then `key:value`. scripts/notebook/documents.py takes them apart.
std::string label(const Variant& variant) {
    const std::string text = level(variant, backend::description());
    switch (variant.kind) {
        case Kind::memcpy:
            return text + " kind:memcpy";
        case Kind::cublas:
            return text + " kind:cublas";
        default:
            return text;
    }
}

// Not what has nothing to launch, an empty kernel, several kernels, or a reference.
bool is_profiled(const Variant& variant) {
    return variant.kind == Kind::kernel && variant.launch && variant.working_set_bytes > 0 &&
           !variant.launches_several;
}

using Launch = std::function<void(std::size_t set)>;

// Behind one launch that is not timed: whatever ran before has left other pages in the TLBs. It uses the
// set whose turn is furthest away, so that cold stays cold.
double seconds_per_launch(const Launch& launch, std::size_t sets, int launches) {
    launch(sets - 1);
    const auto next = [&](int index) { launch(static_cast<std::size_t>(index) % sets); };
    return backend::elapsed_seconds(next, launches) / launches;
}

int calibrated_launches(const Variant& variant) {
    if (variant.timed) return 1;
    const int sets = static_cast<int>(variant.sets);
    if (const auto& reference = variant.reference) {
        for (std::size_t set = 0; set < reference->sets; ++set) reference->launch(set);
    }
    const double once = seconds_per_launch(variant.launch, variant.sets, sets);
    const int wanted = static_cast<int>(batch_seconds / std::max(once, 1e-9)) + 1;
    // Whole rounds, so that every set is used equally often.
    const int rounds = std::max((std::min(wanted, max_launches) + sets - 1) / sets, 1);
    return std::min(rounds, max_launches / sets) * sets;
}

// The variant's rate over the reference's.
double ratio_of_rates(const Variant& variant, double seconds, int launches) {
    const Reference& reference = *variant.reference;
    const double reference_seconds = seconds_per_launch(reference.launch, reference.sets, launches);
    const double work =
        reference.bytes > 0 ? variant.bytes / reference.bytes : variant.flops / reference.flops;
    return work * reference_seconds / seconds;
}

// The variants that seem to move more bytes from DRAM than it can deliver, with their rates.
using Failures = std::map<std::string, std::string>;

std::string in_words(const Failures& failures, double peak) {
    std::string text;
    std::size_t listed = 0;
    for (const auto& [name, rate] : failures) {
        if (listed == max_failures_listed) break;
        text += (listed++ == 0 ? "" : ", ") + name + " (" + rate + ")";
    }
    if (failures.size() > listed) {
        text += " and " + std::to_string(failures.size() - listed) + " more";
    }
    return "faster than the peak of DRAM, " + std::to_string(peak / 1e9) + " GB/s: " + text +
           "; the working set does not leave the caches, or bytes are miscounted";
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

void measure(benchmark::State& state, const Variant& variant, int launches,
             const Counters& counters, Failures& failures) {
    double seconds = 0;
    for (auto _ : state) {
        seconds = variant.timed ? variant.timed()
                                : seconds_per_launch(variant.launch, variant.sets, launches);
        state.SetIterationTime(seconds);
    }
    state.SetLabel(label(variant));
    for (const auto& [name, value] : counters) state.counters[name] = value;
    report_rates(state, variant);
    state.counters["launches"] = launches;
    if (const auto clocks = backend::sample_clocks()) {
        state.counters["sm_clock_mhz"] = clocks->sm_clock_mhz;
        state.counters["throttled"] = clocks->throttled ? 1 : 0;
    }
    if (variant.reference) {
        state.counters[variant.reference->counter] = ratio_of_rates(variant, seconds, launches);
    }
    const double peak = backend::description().dram_bytes_per_second;
    const bool from_dram = level(variant, backend::description()) == "dram";
    if (from_dram && peak > 0 && variant.bytes / seconds > peak) {
        const std::string rate = std::to_string(variant.bytes / seconds / 1e9) + " GB/s";
        failures.emplace(variant.name, rate);
        state.SkipWithError((rate + " from DRAM, above its peak").c_str());
    }
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

// What a launch of the variant finds in the L2 when it is timed (Experiment::cold_sets).
backend::PredictedL2 l2_of(const Variant& variant) {
    return variant.finds_l2_cold || variant.name.find("cache:cold") != std::string::npos
               ? backend::PredictedL2::cold
               : backend::PredictedL2::warm;
}

// Launches, where there is something to launch, and compares; returns what was counted.
backend::Counted validated(const Variant& variant,
                           backend::PredictedL2 l2 = backend::PredictedL2::none) {
    variant.prepare();
    backend::Counted counted;
    if (variant.launch) {
        counted = backend::counted([&] { variant.launch(0); }, l2).value_or(backend::Counted{});
    }
    variant.check();
    const Counters own = variant.counters();
    counted.counters.insert(counted.counters.end(), own.begin(), own.end());
    return counted;
}

void explain_own_flags() {
    std::puts(
        "The lab's own flags, before those of Google Benchmark:\n"
        "          [--quick]                fewer repetitions; the result is marked as quick\n"
        "          [--small]                validate the small shapes alone, print their names: "
        "for "
        "racecheck\n"
        "          [--launch-once]          launch each variant once, print its name: for "
        "profilers\n"
        "          [--count-migrations]     (GPU) count what moves of managed memory "
        "(CUPTI), time nothing\n"
        "          [--architecture=<name>]  on an emulated GPU: fermi, kepler, ... blackwell; "
        "hopper where there is no GPU\n"
        "          [--workers=<n>]          (emulated) CPU threads; default one for each core\n"
        "          [--check-hazards]        (emulated) races, uninitialised reads, divergent "
        "barriers\n"
        "          [--report=<file>]        (emulated) a JSON object a launch, with the cost of "
        "each source line\n"
        "          [--no-caches]            (emulated) requests alone, faster: no L1, L2, DRAM\n");
}

}  // namespace

void stop(ExitStatus status, const std::string& what) { std::exit(fail(status, what)); }

Experiment::Experiment(std::string chapter, int argc, char** argv)
    : chapter_(std::move(chapter)), arguments_(argv, argv + argc) {
    if (has_argument(arguments_, "--help")) explain_own_flags();
    try {
        quick_ = take_flag(arguments_, "--quick");
        launch_once_ = take_flag(arguments_, "--launch-once");
        small_ = take_flag(arguments_, "--small");
        filter_ = take_value(arguments_, "--benchmark_filter=").value_or("");
        flags_ = benchmark_flags(arguments_);
        backend::open(arguments_);
    } catch (const UsageError& error) {
        stop(exit_wrong_usage, error.what());
    } catch (const MissingError& error) {
        stop(exit_missing, error.what());
    } catch (const std::exception& error) {
        stop(exit_check_failed, error.what());
    }
}

std::optional<unsigned> Experiment::option(const std::string& flag,
                                           const std::string& explanation) {
    if (has_argument(arguments_, "--help")) {
        std::printf("          [%s<n>] %s\n\n", flag.c_str(), explanation.c_str());
    }
    try {
        return take_unsigned(arguments_, flag);
    } catch (const UsageError& error) {
        stop(exit_wrong_usage, error.what());
    }
}

std::size_t Experiment::cold_sets(std::size_t working_set_bytes) const {
    if (device().emulated) return 1;
    return std::min(4 * device().l2_bytes / working_set_bytes + 1, max_sets);
}

Reference Experiment::memcpy_reference(std::size_t bytes, Cache cache) const {
    struct Pair {
        DeviceBuffer<std::byte> from, to;
    };
    const std::size_t count = sets(cache, 2 * bytes);
    const auto buffers = std::make_shared<std::vector<Pair>>();
    const auto copy = [=](std::size_t set) {
        while (buffers->size() < count) {
            buffers->push_back({DeviceBuffer<std::byte>(bytes), DeviceBuffer<std::byte>(bytes)});
        }
        backend::copy_on_device((*buffers)[set].to.get(), (*buffers)[set].from.get(), bytes);
    };
    return {.counter = "memcpy_ratio",
            .bytes = 2.0 * static_cast<double>(bytes),
            .sets = count,
            .launch = copy};
}

void Experiment::add_memcpy(std::size_t bytes, Cache cache) {
    if (device().emulated) return;
    const Reference copy = memcpy_reference(bytes, cache);
    add({.name = "memcpy/bytes:" + std::to_string(bytes) + "/cache:" + text(cache),
         .kind = Kind::memcpy,
         .bytes = copy.bytes,
         .working_set_bytes = 2 * bytes,
         .sets = copy.sets,
         .launch = copy.launch});
}

int Experiment::run() {
    try {
        return run_checked();
    } catch (const UsageError& error) {
        return fail(exit_wrong_usage, error.what());
    } catch (const std::exception& error) {
        return fail(exit_check_failed, error.what());
    }
}

void Experiment::select() {
    if (filter_.empty()) return;
    const NameFilter filter = name_filter(filter_);
    try {
        const std::regex pattern(filter.expression, std::regex::ECMAScript);
        std::erase_if(variants_, [&](const Variant& variant) {
            return std::regex_search(variant.name, pattern) == filter.negative;
        });
    } catch (const std::regex_error&) {
        throw UsageError("--benchmark_filter=" + filter_ + " is not a valid regular expression");
    }
    if (variants_.empty()) {
        throw UsageError("no variant matches --benchmark_filter=" + filter_ +
                         "; --benchmark_list_tests=true lists them");
    }
}

// Everything else has been counted and validated by the processes that time.
void Experiment::keep_what_migrates() {
    std::erase_if(variants_, [](const Variant& variant) { return !variant.migrates; });
    validations_.clear();
    if (variants_.empty()) throw UsageError("--count-migrations: nothing here uses managed memory");
}

bool Experiment::times() const { return !device().emulated && !device().counts_migrations; }

int Experiment::run_checked() {
    select();
    if (device().counts_migrations) keep_what_migrates();
    if (!has_argument(arguments_, "--benchmark_enable_random_interleaving")) {
        arguments_.push_back("--benchmark_enable_random_interleaving=true");
    }
    std::vector<char*> argv;
    for (std::string& argument : arguments_) argv.push_back(argument.data());
    int argc = static_cast<int>(argv.size());
    benchmark::Initialize(&argc, argv.data());
    if (argc > 1)
        throw UsageError(std::string("unknown argument ") + argv[1] + "; --help lists all");

    if (flags_.lists) {
        for (const Variant& variant : variants_) std::printf("%s\n", variant.name.c_str());
        return exit_done;
    }
    if (launch_once_) {
        launch_each_once();
        return exit_done;
    }
    if (small_) {
        validate_small();
        return exit_done;
    }
    std::vector<backend::Counted> counts(variants_.size());
    Failures failures;
    Progress measuring("measure", variants_.size());
    Progress validating("validate", variants_.size());
    for (std::size_t i = 0; i < variants_.size(); ++i) {
        Variant& variant = variants_[i];
        int launches = 0;
        validating.step(variant.name);
        try {
            counts[i] = validated(variant, l2_of(variant));
            if (times()) launches = calibrated_launches(variant);
        } catch (const std::exception& error) {
            throw ValidationError(variant.name + ": " + error.what());
        }
        auto* const row = benchmark::RegisterBenchmark(
            variant.name.c_str(),
            [&, i, launches, started = std::make_shared<int>(0)](benchmark::State& state) {
                if (!times()) return report_counts(state, variants_[i], counts[i]);
                if (++*started == 1) measuring.step(variants_[i].name);
                measure(state, variants_[i], launches, counts[i].counters, failures);
            });
        row->UseManualTime()->Iterations(1);
        row->Unit(flags_.has_time_unit ? benchmark::GetDefaultTimeUnit() : benchmark::kMicrosecond);
        const int own_repetitions = !times() ? 1 : quick_ ? quick_repetitions : repetitions;
        row->Repetitions(flags_.repetitions.value_or(own_repetitions));
    }
    validate();
    add_context();
    run_and_report(flags_, times());
    benchmark::Shutdown();
    if (!failures.empty()) {
        throw ValidationError(in_words(failures, device().dram_bytes_per_second));
    }
    return exit_done;
}

void Experiment::validate() {
    Progress validating("validate shape", validations_.size());
    for (const Variant& variant : validations_) {
        validating.step(variant.name);
        try {
            validated(variant);
        } catch (const std::exception& error) {
            throw ValidationError(variant.name + ": " + error.what());
        }
    }
}

// For checkers that slow a kernel down a hundredfold (compute-sanitizer's racecheck): whatever is small,
// each once, with its name.
void Experiment::validate_small() {
    constexpr std::size_t small_row = 1 << 20, small_shape = 4 << 20;
    std::erase_if(validations_,
                  [](const Variant& shape) { return shape.working_set_bytes > small_shape; });
    for (Variant& variant : variants_) {
        const bool is_small = variant.launch && variant.working_set_bytes <= small_row;
        if (is_small && variant.kind == Kind::kernel) validations_.push_back(std::move(variant));
    }
    validate();
    for (const Variant& shape : validations_) std::printf("%s\n", shape.name.c_str());
}

// For a profiler: the launches of the selected variants, one each, in the order of the printed names.
void Experiment::launch_each_once() {
    for (const Variant& variant : variants_) {
        if (!is_profiled(variant)) continue;
        variant.prepare();
        variant.launch(0);
        backend::synchronise();
        std::printf("%s\n", variant.name.c_str());
    }
}

void Experiment::add_context() const {
    const DeviceDescription& device = this->device();
    benchmark::AddCustomContext("chapter", chapter_);
    benchmark::AddCustomContext("device", device.slug);
    benchmark::AddCustomContext("device_kind", device.emulated ? "emulated" : "gpu");
    benchmark::AddCustomContext("gpu_name", device.gpu_name);
    benchmark::AddCustomContext("generation", device.generation);
    benchmark::AddCustomContext("sm_count", std::to_string(device.sm_count));
    benchmark::AddCustomContext("l2_bytes", std::to_string(device.l2_bytes));
    benchmark::AddCustomContext(
        "dram_bytes_per_second",
        std::to_string(static_cast<long long>(device.dram_bytes_per_second)));
    for (const auto& [key, value] : device.provenance) benchmark::AddCustomContext(key, value);
    benchmark::AddCustomContext("validation", "passed");
    benchmark::AddCustomContext("validated_variants", std::to_string(variants_.size()));
    benchmark::AddCustomContext("validated_shapes", std::to_string(validations_.size()));
    benchmark::AddCustomContext("quick", quick_ ? "true" : "false");
    // Asks `scripts/lab run` for another process, which counts what these move.
    const auto migrates = [](const Variant& variant) { return variant.migrates; };
    if (times() && std::any_of(variants_.begin(), variants_.end(), migrates)) {
        benchmark::AddCustomContext("migrations_counted_apart", "true");
    }
}

}  // namespace lab
