#include "lab/program/benchmark_flags.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>

#include "lab/program/errors.hpp"

namespace lab {
namespace {

using Arguments = std::vector<std::string>;

// A batch or a warm-up that lasts longer is a slip of the pen.
constexpr double max_seconds = 3600;

bool is_named(const std::string& argument, const std::string& name) {
    const std::string flag = "--benchmark_" + name;
    return argument == flag || argument.starts_with(flag + "=");
}

// The text behind the "=" of the last argument of this name, as Google Benchmark reads it; "true" without one.
std::optional<std::string> value_of(const Arguments& arguments, const std::string& name) {
    std::optional<std::string> value;
    for (const std::string& argument : arguments) {
        if (!is_named(argument, name)) continue;
        const std::size_t equals = argument.find('=');
        value = equals == std::string::npos ? "true" : argument.substr(equals + 1);
    }
    return value;
}

std::optional<std::string> take_value_of(Arguments& arguments, const std::string& name) {
    const auto value = value_of(arguments, name);
    std::erase_if(arguments, [&](const std::string& argument) { return is_named(argument, name); });
    return value;
}

// All of `text` as a number between the limits.
template <class Number>
std::optional<Number> number_in(std::string_view text, Number least, Number most) {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    const bool is_read = result.ec == std::errc() && result.ptr == end;
    return is_read && value >= least && value <= most ? std::optional(value) : std::nullopt;
}

std::string one_of(const Arguments& arguments, const std::string& name,
                   std::initializer_list<const char*> valid, const std::string& otherwise) {
    const auto value = value_of(arguments, name);
    if (!value) return otherwise;
    if (std::find(valid.begin(), valid.end(), *value) != valid.end()) return *value;
    std::string names;
    for (const char* each : valid) names += (names.empty() ? "" : ", ") + std::string(each);
    throw UsageError("--benchmark_" + name + "=" + *value + ": valid: " + names);
}

bool is_true(const std::string& value) {
    return value == "1" || value == "on" || std::string("tTyY").find(value[0]) != std::string::npos;
}

bool is_on(const Arguments& arguments, const std::string& name) {
    return is_true(one_of(
        arguments, name,
        {"true", "false", "yes", "no", "on", "off", "1", "0", "t", "f", "y", "n", "True", "False"},
        "false"));
}

std::optional<int> repetitions_in(const Arguments& arguments) {
    const auto text = value_of(arguments, "repetitions");
    if (!text) return std::nullopt;
    const auto value = number_in(*text, 1, std::numeric_limits<int>::max());
    if (!value) {
        throw UsageError("--benchmark_repetitions=" + *text + ": expected a positive integer");
    }
    return value;
}

std::optional<double> seconds_in(std::string_view text) {
    if (text.ends_with('s')) text.remove_suffix(1);
    return number_in(text, 0.0, max_seconds);
}

// "0.5" of Google Benchmark up to 1.7, "0.5s" and "10x" (iterations: launches of a batch) since 1.8.
void read_min_time(const std::string& text, BatchSize& batch) {
    if (text.ends_with('x'))
        batch.launches = number_in(text.substr(0, text.size() - 1), 1, max_batch_launches);
    else
        batch.min_seconds = seconds_in(text);
    if (batch.launches || batch.min_seconds) return;
    throw UsageError("--benchmark_min_time=" + text +
                     ": expected seconds (0.5s, at most 3600s) or launches of a batch (10x)");
}

BatchSize take_batch_size(Arguments& arguments) {
    BatchSize batch;
    if (const auto text = take_value_of(arguments, "min_time")) read_min_time(*text, batch);
    if (const auto warmup = take_value_of(arguments, "min_warmup_time")) {
        const auto seconds = seconds_in(*warmup);
        if (!seconds) {
            throw UsageError("--benchmark_min_warmup_time=" + *warmup +
                             ": expected seconds, at most 3600");
        }
        batch.warmup_seconds = *seconds;
    }
    return batch;
}

}  // namespace

BenchmarkFlags take_benchmark_flags(Arguments& arguments) {
    one_of(arguments, "time_unit", {"ns", "us", "ms", "s"}, "us");
    const std::string colour =
        one_of(arguments, "color", {"auto", "true", "false", "yes", "no", "1", "0"}, "auto");
    BenchmarkFlags flags;
    flags.format = one_of(arguments, "format", {"console", "json", "csv"}, "console");
    flags.out_format = one_of(arguments, "out_format", {"console", "json", "csv"}, "json");
    flags.out_file = value_of(arguments, "out").value_or("");
    flags.tabular = is_on(arguments, "counters_tabular");
    flags.coloured = colour == "auto" ? isatty(STDOUT_FILENO) != 0 : is_true(colour);
    flags.lists = is_on(arguments, "list_tests");
    flags.has_time_unit = value_of(arguments, "time_unit").has_value();
    flags.repetitions = repetitions_in(arguments);
    flags.filter = take_value_of(arguments, "filter").value_or("");
    flags.dry_run = is_on(arguments, "dry_run");
    take_value_of(arguments, "dry_run");
    flags.batch = take_batch_size(arguments);
    return flags;
}

NameFilter name_filter(const std::string& filter) {
    const bool negative = filter.starts_with('-');
    const std::string expression = filter.substr(negative ? 1 : 0);
    return {expression == "all" ? "." : expression, negative};
}

}  // namespace lab
