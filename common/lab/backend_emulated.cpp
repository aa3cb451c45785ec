// The harness's device on the emulated GPU.
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "emulator/device_memory.hpp"
#include "emulator/emulated_launch.hpp"
#include "emulator/version.hpp"
#include "lab/backend.hpp"
#include "lab/command_line.hpp"
#include "lab/errors.hpp"
#include "lab/line_report.hpp"

namespace lab::backend {
namespace {

bool model_caches = true;
bool check_hazards = false;
bool report_lines = false;

DeviceDescription& mutable_description() {
    static DeviceDescription description;
    return description;
}

bool take_report(std::vector<std::string>& arguments) {
    const auto kind = take_value(arguments, "--report=");
    if (kind && *kind != "lines") throw UsageError("--report=" + *kind + ": there is --report=lines");
    return kind.has_value();
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text = lines.front();
    for (std::size_t i = 1; i < lines.size(); ++i) text += "\n       " + lines[i];
    return text;
}

std::string known_architectures() {
    std::string names;
    for (const auto& architecture : emulator::architectures()) {
        names += (names.empty() ? "" : ", ") + std::string(architecture.name);
    }
    return names;
}

[[noreturn]] void no_managed_memory() {
    throw std::logic_error("an emulated GPU has no managed memory");
}

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void append_global(Counters& counters, const std::string& load_or_store, const char* nvprof_name,
                   const emulator::AccessCounters& access) {
    const auto add = [&](const char* name, double value) {
        counters.emplace_back(load_or_store + name, value);
    };
    add("_requests", static_cast<double>(access.requests));
    add("_sectors", static_cast<double>(access.sectors));
    add("_lines", static_cast<double>(access.lines));
    add("_efficiency", percent(access.distinct_bytes, access.moved_bytes));
    counters.emplace_back(nvprof_name, percent(access.lane_bytes, access.moved_bytes));
}

void append_memory(Counters& counters, const emulator::LaunchCounters& launched) {
    const auto add = [&](const char* name, std::uint64_t value) {
        counters.emplace_back(name, static_cast<double>(value));
    };
    add("l1_hit_sectors", launched.memory.l1_hit_sectors);
    add("l2_read_sectors_least", launched.l2_read_sectors_least);
    add("l2_read_sectors_most", launched.memory.l2_read_sectors_most);
    add("l2_write_sectors_least", launched.l2_write_sectors_least);
    add("l2_write_sectors_most", launched.memory.l2_write_sectors_most);
    add("dram_read_bytes", launched.dram_read_bytes);
}

void append_shared(Counters& counters, const std::string& prefix,
                   const emulator::AccessCounters& access) {
    if (access.requests == 0) return;
    counters.emplace_back(prefix + "_requests", static_cast<double>(access.requests));
    counters.emplace_back(prefix + "_wavefronts", static_cast<double>(access.wavefronts));
    counters.emplace_back(prefix + "_bank_conflicts", static_cast<double>(access.bank_conflicts));
}

}  // namespace

void open(std::vector<std::string>& arguments) {
    const std::string name = take_value(arguments, "--architecture=").value_or("hopper");
    const unsigned workers = take_unsigned(arguments, "--workers=").value_or(0);
    model_caches = !take_flag(arguments, "--no-caches");
    check_hazards = take_flag(arguments, "--check-hazards");
    report_lines = take_report(arguments);
    const emulator::Architecture* const architecture = emulator::find_architecture(name);
    if (architecture == nullptr) {
        throw UsageError("no architecture " + name + "; there are " + known_architectures());
    }
    auto gpu = std::make_unique<emulator::Gpu>(*architecture, workers);
    gpu->model_caches(model_caches);
    gpu->check_hazards(check_hazards);
    emulator::set_current_gpu(std::move(gpu));
    if (check_hazards) emulator::track_initialisation();

    DeviceDescription& description = mutable_description();
    description.emulated = true;
    description.slug = "emulated-" + name;
    description.gpu_name = "emulated " + std::string(architecture->gpu);
    description.generation = architecture->generation;
    description.sm_count = static_cast<int>(architecture->sm_count);
    description.l2_bytes = architecture->l2_bytes;
    description.dram_bytes_per_second = architecture->dram_bytes_per_second;
    description.provenance = {
        {"year", std::to_string(architecture->year)},
        {"compute_capability", std::string(architecture->compute_capability)},
        {"fetch_unit_bytes", std::to_string(architecture->fetch_unit_bytes())},
        {"emulator_version", emulator::version},
        {"compiler", "g++ " __VERSION__},
        {"compile_flags", LAB_KERNEL_FLAGS},
    };
}

const DeviceDescription& description() { return mutable_description(); }

void* allocate(std::size_t bytes) { return emulator::allocate_device_memory(bytes); }
void release(void* pointer) noexcept { emulator::release_device_memory(pointer); }
void copy_to_device(void* to, const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    emulator::mark_initialised(reinterpret_cast<emulator::Address>(to), bytes);
}
void copy_to_host(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void copy_on_device(void* to, const void* from, std::size_t bytes) { copy_to_device(to, from, bytes); }
void poison(void* pointer, std::size_t bytes) {
    std::memset(pointer, poison_byte, bytes);
    emulator::mark_initialised(reinterpret_cast<emulator::Address>(pointer), bytes, false);
}
bool repeats(const void* data, std::size_t bytes, const void* expected, std::size_t period,
             std::size_t phase) {
    const auto* const actual = static_cast<const std::byte*>(data);
    const auto* const wanted = static_cast<const std::byte*>(expected);
    std::size_t count = 0;
    for (std::size_t at = 0; at < bytes; at += count) {
        const std::size_t from = (phase + at) % period;
        count = std::min(period - from, bytes - at);
        if (std::memcmp(actual + at, wanted + from, count) != 0) return false;
    }
    return true;
}
void synchronise() {}

double elapsed_seconds(const std::function<void(int)>&, int) {
    throw std::logic_error("an emulated GPU has no time of its own");
}

std::optional<ClockSample> sample_clocks() { return std::nullopt; }

bool has_managed_memory() { return false; }
void* allocate_managed(std::size_t) { no_managed_memory(); }
void prefetch(const void*, std::size_t, Place) { no_managed_memory(); }
void keep_on_host(const void*, std::size_t) { no_managed_memory(); }
std::optional<Counters> migrated(const std::function<void()>&) { no_managed_memory(); }

std::size_t free_bytes() {
    return static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) *
           static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::optional<Counters> counted(const std::function<void()>& launch) {
    emulator::take_counters();
    launch();
    const emulator::LaunchCounters launched = emulator::take_counters();
    if (!launched.hazards.empty()) throw ValidationError(joined(launched.hazards));
    if (report_lines) print_line_report(launched);

    Counters counters;
    append_global(counters, "load", "nvprof_gld_efficiency", launched.loads);
    counters.emplace_back("load_lane_bytes", static_cast<double>(launched.loads.lane_bytes));
    append_global(counters, "store", "nvprof_gst_efficiency", launched.stores);
    append_shared(counters, "shared_load", launched.shared_loads);
    append_shared(counters, "shared_store", launched.shared_stores);
    if (launched.atomics.requests != 0) {
        counters.emplace_back("atomic_requests", static_cast<double>(launched.atomics.requests));
        counters.emplace_back("atomic_sectors", static_cast<double>(launched.atomics.sectors));
    }
    counters.emplace_back("theoretical_occupancy", launched.occupancy.percent);
    if (model_caches) append_memory(counters, launched);
    return counters;
}

}  // namespace lab::backend
