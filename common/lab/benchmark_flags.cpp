#include "lab/benchmark_flags.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "lab/errors.hpp"

namespace lab {
namespace {

using Arguments = std::vector<std::string>;

// What is behind the "=" of the last argument of this name, as Google Benchmark reads it; "true" without one.
std::optional<std::string> value_of(const Arguments& arguments, const std::string& name) {
    std::optional<std::string> value;
    const std::string flag = "--benchmark_" + name;
    for (const std::string& argument : arguments) {
        if (argument == flag) value = "true";
        if (argument.starts_with(flag + "=")) value = argument.substr(flag.size() + 1);
    }
    return value;
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

bool is_on(const Arguments& arguments, const std::string& name) {
    const std::string value = one_of(
        arguments, name,
        {"true", "false", "yes", "no", "on", "off", "1", "0", "t", "f", "y", "n", "True", "False"},
        "false");
    return value == "1" || value == "on" || std::string("tTyY").find(value[0]) != std::string::npos;
}

std::optional<int> repetitions_in(const Arguments& arguments) {
    const auto text = value_of(arguments, "repetitions");
    if (!text) return std::nullopt;
    int value = 0;
    const char* const end = text->data() + text->size();
    const auto result = std::from_chars(text->data(), end, value);
    if (result.ec != std::errc() || result.ptr != end || value < 1) {
        throw UsageError("--benchmark_repetitions=" + *text +
                         ": a positive whole number is needed");
    }
    return value;
}

void refuse_what_has_no_meaning(const Arguments& arguments) {
    for (const char* name : {"min_time", "min_warmup_time", "dry_run"}) {
        if (value_of(arguments, name)) {
            throw UsageError("--benchmark_" + std::string(name) +
                             ": a repetition is one batch of launches, as long as it has to be; "
                             "--quick and --benchmark_repetitions=<n> change how many there are");
        }
    }
}

}  // namespace

BenchmarkFlags benchmark_flags(const Arguments& arguments) {
    refuse_what_has_no_meaning(arguments);
    one_of(arguments, "time_unit", {"ns", "us", "ms", "s"}, "us");
    const std::string colour =
        one_of(arguments, "color", {"auto", "true", "false", "yes", "no"}, "auto");
    BenchmarkFlags flags;
    flags.format = one_of(arguments, "format", {"console", "json", "csv"}, "console");
    flags.out_format = one_of(arguments, "out_format", {"console", "json", "csv"}, "json");
    flags.to_file = value_of(arguments, "out").has_value();
    flags.tabular = is_on(arguments, "counters_tabular");
    flags.coloured =
        colour == "auto" ? isatty(STDOUT_FILENO) != 0 : colour == "true" || colour == "yes";
    flags.lists = is_on(arguments, "list_tests");
    flags.has_time_unit = value_of(arguments, "time_unit").has_value();
    flags.repetitions = repetitions_in(arguments);
    return flags;
}

NameFilter name_filter(const std::string& filter) {
    const bool negative = filter.starts_with('-');
    const std::string expression = filter.substr(negative ? 1 : 0);
    return {expression == "all" ? "." : expression, negative};
}

}  // namespace lab
