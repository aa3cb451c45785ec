#include "lab/experiment/experiment.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <regex>
#include <utility>

#include "lab/device/device_buffer.hpp"
#include "lab/experiment/reporters.hpp"
#include "lab/experiment/usage.hpp"
#include "lab/measure/measurement.hpp"
#include "lab/measure/progress.hpp"
#include "lab/program/command_line.hpp"
#include "lab/program/errors.hpp"

namespace lab {
namespace {

constexpr int repetitions = 5;
constexpr int quick_repetitions = 2;

int fail(ExitStatus status, const std::string& what) {
    std::fprintf(stderr, "error: %s\n", what.c_str());
    return status;
}

// Not what has nothing to launch, an empty kernel, several kernels, or a reference.
bool is_profiled(const Variant& variant) {
    return variant.kind == Kind::kernel && variant.launch &&
           variant.evidence != Evidence::predicted && variant.working_set_bytes > 0 &&
           variant.kernels == 1;
}

// Releases what the row has allocated.
void release(Variant& variant) {
    variant.prepare = variant.check = {};
    variant.launch = {};
    variant.reference.reset();
}

}  // namespace

void stop(ExitStatus status, const std::string& what) { std::exit(fail(status, what)); }

Experiment::Experiment(std::string chapter, int argc, char** argv)
    : chapter_(std::move(chapter)), arguments_(argv, argv + argc) {
    try {
        read_flags();
        open_device();
    } catch (const UsageError& error) {
        stop(exit_wrong_usage, error.what());
    } catch (const MissingError& error) {
        stop(exit_missing, error.what());
    } catch (const std::exception& error) {
        stop(exit_check_failed, error.what());
    }
}

void Experiment::add(Variant row) {
    if (admission_.admits(row)) variants_.push_back(std::move(row));
}

void Experiment::add(std::vector<Variant> rows) {
    for (Variant& row : rows) add(std::move(row));
}

void Experiment::add(Variant row, Evidence evidence) {
    row.evidence = evidence;
    add(std::move(row));
}

void Experiment::add(std::vector<Variant> rows, Evidence evidence) {
    for (Variant& row : rows) add(std::move(row), evidence);
}

void Experiment::add_validation(Variant shape) {
    if (admission_.admits_validation(shape)) validations_.push_back(std::move(shape));
}

void Experiment::add_validation(std::vector<Variant> shapes) {
    for (Variant& shape : shapes) add_validation(std::move(shape));
}

void Experiment::read_flags() {
    quick_ = take_flag(arguments_, "--quick");
    launch_once_ = take_flag(arguments_, "--launch-once");
    small_ = take_flag(arguments_, "--small");
    counts_alone_ = take_flag(arguments_, "--counts-alone");
    flags_ = take_benchmark_flags(arguments_);
    if (flags_.dry_run) {
        quick_ = true;
        flags_.repetitions = 1;
        flags_.batch = {.launches = 1};
    }
}

// --help needs no device. It comes after the program may have been restarted, which would say it again.
void Experiment::open_device() {
    const bool asks_for_help = has_argument(arguments_, "--help");
    try {
        backend::open(arguments_);
    } catch (const std::exception&) {
        if (!asks_for_help) throw;
        explain_own_flags();
        initialise_benchmark();  // prints its own flags and exits
    }
    if (asks_for_help) explain_own_flags();
    if (!times() && flags_.batch.is_given() && !flags_.dry_run) say_that_nothing_is_timed();
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

Reference Experiment::memcpy_reference(std::size_t bytes, Cache cache) const {
    struct Pair {
        DeviceBuffer<std::byte> from, to;
    };
    const std::size_t count = sets_of(cache, 2 * bytes);
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
    if (!measures()) return;
    const Reference copy = memcpy_reference(bytes, cache);
    add({.name = "memcpy/bytes:" + std::to_string(bytes) + "/cache:" + text(cache),
         .kind = Kind::memcpy,
         .bytes = copy.bytes,
         .working_set_bytes = 2 * bytes,
         .cache = cache,
         .launch = copy.launch,
         .evidence = Evidence::measured});
}

void Experiment::add_launch_overhead(unsigned block) {
    add({.name = "launch_overhead/block:" + std::to_string(block),
         .launch = [=](std::size_t) { backend::launch_empty(block); },
         .evidence = Evidence::measured});
}

void Experiment::require_memory(std::size_t bytes, const std::string& remedy) const {
    const std::size_t free = backend::free_bytes();
    if (bytes <= free) return;
    stop(exit_missing, "this takes " + std::to_string(bytes >> 20) +
                           " MiB of the device's memory, and " + std::to_string(free >> 20) +
                           " MiB are free; " + remedy);
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
    if (counts_alone_) {
        std::erase_if(variants_, [](const Variant& variant) {
            return variant.evidence == Evidence::predicted;
        });
    }
    if (flags_.filter.empty()) return;
    const NameFilter filter = name_filter(flags_.filter);
    try {
        const std::regex pattern(filter.expression, std::regex::ECMAScript);
        std::erase_if(variants_, [&](const Variant& variant) {
            return std::regex_search(variant.name, pattern) == filter.negative;
        });
    } catch (const std::regex_error&) {
        throw UsageError("--benchmark_filter=" + flags_.filter +
                         " is not a valid regular expression");
    }
    if (variants_.empty()) {
        throw UsageError("no variant matches --benchmark_filter=" + flags_.filter +
                         "; --benchmark_list_tests=true lists them");
    }
}

// Everything else has been counted and validated by the processes that time.
void Experiment::keep_what_migrates() {
    std::erase_if(variants_, [](const Variant& variant) { return !variant.migrates; });
    validations_.clear();
    if (variants_.empty()) throw UsageError("--count-migrations: nothing here uses managed memory");
}

// Hands Google Benchmark its flags.
void Experiment::initialise_benchmark() {
    if (!has_argument(arguments_, "--benchmark_enable_random_interleaving")) {
        arguments_.push_back("--benchmark_enable_random_interleaving=true");
    }
    std::vector<char*> argv;
    argv.reserve(arguments_.size());
    for (std::string& argument : arguments_) argv.push_back(argument.data());
    int argc = static_cast<int>(argv.size());
    benchmark::Initialize(&argc, argv.data());
    if (argc > 1)
        throw UsageError(std::string("unknown argument ") + argv[1] + "; --help lists all");
}

int Experiment::run_checked() {
    select();
    if (device().counts_migrations) keep_what_migrates();
    initialise_benchmark();
    if (flags_.lists) {
        for (const Variant& variant : variants_) std::printf("%s\n", variant.name.c_str());
        return exit_done;
    }
    for (const std::string& line : admission_.left_out()) {
        std::fprintf(stderr, "%s\n", line.c_str());
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
        std::shared_ptr<TimedRow> timed;
        validating.step(variant.name);
        try {
            counts[i] = validated(variant, l2_of(variant));
            if (variant.evidence == Evidence::predicted) release(variant);
            if (times()) timed = std::make_shared<TimedRow>(variant, flags_.batch);
        } catch (const std::exception& error) {
            throw ValidationError(variant.name + ": " + error.what());
        }
        auto* const row = benchmark::RegisterBenchmark(
            variant.name.c_str(),
            [&, i, timed, started = std::make_shared<int>(0)](benchmark::State& state) {
                if (!times()) return report_counts(state, variants_[i], counts[i]);
                if (++*started == 1) measuring.step(variants_[i].name);
                timed->measure(state, counts[i].counters, failures);
            });
        row->UseManualTime()->Iterations(1);
        row->Unit(flags_.has_time_unit ? benchmark::GetDefaultTimeUnit() : benchmark::kMicrosecond);
        const int own_repetitions = !times() ? 1 : quick_ ? quick_repetitions : repetitions;
        row->Repetitions(flags_.repetitions.value_or(own_repetitions));
    }
    validate();
    add_context();
    if (variants_.empty()) {
        report_no_rows(flags_, times());
    } else {
        run_and_report(flags_, times());
    }
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
        const backend::L2SetAside set_aside(l2_set_aside_bytes(variant));
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
    const auto predicted = std::ranges::count(variants_, Evidence::predicted, &Variant::evidence);
    benchmark::AddCustomContext("validated_variants",
                                std::to_string(std::ssize(variants_) - predicted));
    benchmark::AddCustomContext("validated_shapes", std::to_string(validations_.size()));
    benchmark::AddCustomContext("quick", quick_ ? "true" : "false");
    // Asks `scripts/lab run` for another process, which counts what these move.
    const auto migrates = [](const Variant& variant) { return variant.migrates; };
    if (times() && std::any_of(variants_.begin(), variants_.end(), migrates)) {
        benchmark::AddCustomContext("migrations_counted_apart", "true");
    }
}

}  // namespace lab
