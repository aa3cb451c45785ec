#include "emulator/runtime/report/settings.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "emulator/memory/device_memory.hpp"
#include "timing/machine/machine_table.hpp"
#include "timing/machine/mechanisms.hpp"

namespace emulator::runtime {
namespace {

using ValueOf = const char* (*)(const char*);

[[noreturn]] void refuse(const std::string& name, const std::string& value,
                         const std::string& why) {
    throw std::invalid_argument(name + "=" + value + ": " + why);
}

bool read_switch(ValueOf value_of, const char* name, bool otherwise) {
    const char* const value = value_of(name);
    if (value == nullptr || *value == '\0') return otherwise;
    if (std::strcmp(value, "0") == 0) return false;
    if (std::strcmp(value, "1") == 0) return true;
    refuse(name, value, "expected 0 or 1");
}

template <class Number>
Number read_number(ValueOf value_of, const char* name, Number otherwise, const char* expected) {
    const char* const value = value_of(name);
    if (value == nullptr || *value == '\0') return otherwise;
    const std::string_view text(value);
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || !(number > Number{0})) {
        refuse(name, value, expected);
    }
    return number;
}

const Architecture* read_architecture(ValueOf value_of) {
    const char* const value = value_of("EMULATED_GPU");
    const std::string name = value == nullptr || *value == '\0' ? "hopper" : value;
    const Architecture* const found = find_architecture(name);
    if (found != nullptr) return found;
    std::string known;
    for (const Architecture& architecture : architectures()) {
        known += (known.empty() ? "" : ", ") + std::string(architecture.name);
    }
    refuse("EMULATED_GPU", name,
           "unknown architecture; known are " + known + ", and the GPUs of data/gpus.csv");
}

timing::Machine read_machine(ValueOf value_of, const Architecture& architecture) {
    const timing::Machine machine = timing::machine_of(architecture);
    const char* const names = value_of("EMULATED_GPU_TIME_WITHOUT");
    if (names == nullptr) return machine;
    try {
        return timing::without(machine, names);
    } catch (const std::invalid_argument& error) {
        refuse("EMULATED_GPU_TIME_WITHOUT", names, error.what());
    }
}

std::string program_name() {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) return "this program";
    const std::string name(path, static_cast<std::size_t>(length));
    return name.substr(name.rfind('/') + 1);
}

const Settings& settings_or_exit() {
    try {
        static const Settings& read = *new Settings(
            read_settings([](const char* name) -> const char* { return std::getenv(name); }));
        return read;
    } catch (const std::invalid_argument& error) {
        std::fprintf(stderr, "emulated GPU: error: %s (%s was not started)\n", error.what(),
                     program_name().c_str());
        _exit(2);
    }
}

// Wrong settings are found when the library is loaded, before the program does anything.
// From then on it is known which bytes of device memory have been written.
[[gnu::constructor]] void check_settings() {
    if (settings().options.check_hazards) track_initialisation();
}

}  // namespace

Settings read_settings(ValueOf value_of) {
    Settings result;
    result.architecture = read_architecture(value_of);
    result.options.model_caches = read_switch(value_of, "EMULATED_GPU_CACHES", true);
    result.options.check_hazards = read_switch(value_of, "EMULATED_GPU_HAZARDS", false);
    result.options.keep_going = read_switch(value_of, "EMULATED_GPU_KEEP_GOING", false);
    result.check_leaks = read_switch(value_of, "EMULATED_GPU_LEAKS", false);
    result.options.sample_blocks = read_switch(value_of, "EMULATED_GPU_SAMPLE", false);
    result.options.record_for_time = read_switch(value_of, "EMULATED_GPU_TIME", false);
    result.options.workers =
        read_number(value_of, "EMULATED_GPU_WORKERS", 0u, "expected a positive integer");
    result.options.time_limit_seconds = read_number(value_of, "EMULATED_GPU_TIME_LIMIT", 0.0,
                                                    "expected a positive number of seconds");
    result.machine = read_machine(value_of, *result.architecture);
    result.options.ptxas = result.machine.switches.ptxas;
    result.options.l2_slices = result.machine.l2_slices;
    result.options.l2_reuse_bytes = result.machine.l2_reuse_bytes;
    if (const char* const path = value_of("EMULATED_GPU_REPORT")) result.report_path = path;
    if (const char* const path = value_of("EMULATED_GPU_RECORDS")) result.records_path = path;
    result.options.count_machine_code = !result.report_path.empty();
    return result;
}

const Settings& settings() {
    static const Settings& result = settings_or_exit();
    return result;
}

}  // namespace emulator::runtime
