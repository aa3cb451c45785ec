// The harness's device on the emulated GPU.
#include <cstring>

#include "emulator/device_memory.hpp"
#include "emulator/emulated_launch.hpp"
#include "emulator/version.hpp"
#include "lab/backend.hpp"
#include "lab/command_line.hpp"
#include "lab/errors.hpp"

namespace lab::backend {
namespace {

DeviceDescription& mutable_description() {
    static DeviceDescription description;
    return description;
}

std::string known_architectures() {
    std::string names;
    for (const auto& architecture : emulator::architectures()) {
        names += (names.empty() ? "" : ", ") + std::string(architecture.name);
    }
    return names;
}

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// Bytes that the architecture moves for these requests, in its fetch unit.
std::uint64_t fetched_bytes(const emulator::AccessCounters& access, std::uint32_t fetch_unit_bytes) {
    return fetch_unit_bytes == 128 ? 128 * access.lines : 32 * access.sectors;
}

void append_global(Counters& counters, const std::string& load_or_store, const char* nvprof_name,
                   const emulator::AccessCounters& access, std::uint32_t fetch_unit_bytes) {
    const auto add = [&](const char* name, double value) {
        counters.emplace_back(load_or_store + name, value);
    };
    const std::uint64_t moved = fetched_bytes(access, fetch_unit_bytes);
    add("_requests", static_cast<double>(access.requests));
    add("_sectors", static_cast<double>(access.sectors));
    add("_lines", static_cast<double>(access.lines));
    add("_efficiency", percent(access.distinct_bytes, moved));
    counters.emplace_back(nvprof_name, percent(access.lane_bytes, moved));
}

void append_shared(Counters& counters, const std::string& prefix,
                   const emulator::AccessCounters& access) {
    if (access.requests == 0) return;
    counters.emplace_back(prefix + "_requests", static_cast<double>(access.requests));
    counters.emplace_back(prefix + "_wavefronts", static_cast<double>(access.wavefronts));
    counters.emplace_back(prefix + "_bank_conflicts",
                          static_cast<double>(access.wavefronts - access.ideal_wavefronts));
}

}  // namespace

void open(std::vector<std::string>& arguments) {
    const std::string name = take_value(arguments, "--architecture=").value_or("hopper");
    const unsigned workers = take_unsigned(arguments, "--workers=").value_or(0);
    const emulator::Architecture* const architecture = emulator::find_architecture(name);
    if (architecture == nullptr) {
        throw UsageError("no architecture " + name + "; there are " + known_architectures());
    }
    emulator::set_current_gpu(std::make_unique<emulator::Gpu>(*architecture, workers));

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
void copy_to_device(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void copy_to_host(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void copy_on_device(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void fill(void* pointer, unsigned char byte, std::size_t bytes) { std::memset(pointer, byte, bytes); }
void synchronise() {}

double elapsed_seconds(const std::function<void(int)>&, int) {
    throw std::logic_error("an emulated GPU has no time of its own");
}

std::optional<ClockSample> sample_clocks() { return std::nullopt; }

std::optional<Counters> counted(const std::function<void()>& launch) {
    emulator::take_counters();
    launch();
    const emulator::LaunchCounters launched = emulator::take_counters();
    const std::uint32_t load_unit = emulator::current_gpu().architecture().fetch_unit_bytes();
    constexpr std::uint32_t store_unit = 32;  // on every generation
    Counters counters;
    append_global(counters, "load", "nvprof_gld_efficiency", launched.loads, load_unit);
    append_global(counters, "store", "nvprof_gst_efficiency", launched.stores, store_unit);
    append_shared(counters, "shared_load", launched.shared_loads);
    append_shared(counters, "shared_store", launched.shared_stores);
    if (launched.atomics.requests != 0) {
        counters.emplace_back("atomic_requests", static_cast<double>(launched.atomics.requests));
        counters.emplace_back("atomic_sectors", static_cast<double>(launched.atomics.sectors));
    }
    return counters;
}

}  // namespace lab::backend
