#include "lab/device/device_description.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "lab/device/cuda_check.hpp"
#include "lab/device/emulated_gpu.hpp"
#include "lab/device/gpu_state.hpp"

namespace lab {
namespace {

int attribute(cudaDeviceAttr which) {
    int value = 0;
    LAB_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

// "NVIDIA H200" -> "nvidia-h200"; letters, digits and single hyphens only, so that it can be a path.
std::string slug_of(const std::string& name) {
    std::string slug;
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c))) {
            slug += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else if (!slug.empty() && slug.back() != '-') {
            slug += '-';
        }
    }
    while (!slug.empty() && slug.back() == '-') slug.pop_back();
    return slug;
}

// Tells boards of one GPU apart without naming them: FNV-1a of the UUID, 32 bits of it.
std::string board_of(const cudaUUID_t& uuid) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : uuid.bytes) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    }
    char text[9];
    std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(hash ^ hash >> 32));
    return text;
}

struct Generation {
    const char* name;
    const char* year;  // of its first GPU: orders the columns of tables
};

Generation generation_of(int major, int minor) {
    switch (major) {
        case 5:
            return {"Maxwell", "2014"};
        case 6:
            return {"Pascal", "2016"};
        case 7:
            return minor >= 5 ? Generation{"Turing", "2018"} : Generation{"Volta", "2017"};
        case 8:
            return minor >= 9 ? Generation{"Ada", "2022"} : Generation{"Ampere", "2020"};
        case 9:
            return {"Hopper", "2022"};
        case 10:
        case 11:
        case 12:
            return {"Blackwell", "2024"};
        default:
            return Generation{"after Blackwell", "2026"};
    }
}

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void describe_emulated(DeviceDescription& description) {
    using emulated_gpu::property;
    description.emulated = true;
    description.slug = "emulated-" + property("architecture");
    description.gpu_name = "emulated " + property("gpu");
    description.generation = property("generation");
    description.dram_bytes_per_second = std::atof(property("dram_bytes_per_second").c_str());
    description.provenance = {{"year", property("year")},
                              {"fetch_unit_bytes", property("fetch_unit_bytes")},
                              {"emulator_version", property("version")},
                              {"tables_sha256", property("tables_sha256")}};
}

void describe_gpu(DeviceDescription& description, const cudaDeviceProp& properties) {
    const GpuState& state =
        gpu_state(properties.pciBusID, properties.pciDeviceID, properties.pciDomainID);
    const GpuReading now = state.read();
    int driver = 0;
    int runtime = 0;
    LAB_CUDA_CHECK(cudaDriverGetVersion(&driver));
    LAB_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    const Generation generation = generation_of(properties.major, properties.minor);
    const auto read = [&](auto value) { return now.known ? std::to_string(value) : "unknown"; };
    description.slug = slug_of(properties.name);
    if (const std::string note = state.note(description.slug); !note.empty()) {
        std::fprintf(stderr, "[lab] %s\n", note.c_str());
    }
    description.max_l2_set_aside_bytes =
        static_cast<std::size_t>(attribute(cudaDevAttrMaxPersistingL2CacheSize));
    description.gpu_name = properties.name;
    description.generation = generation.name;
    // ptxas of CUDA 12.4 and 12.5 ignores -dlcm=cg for these, as its machine code shows; that of 12.6 does not.
    description.has_l1_off = CUDART_VERSION >= 12060 || properties.major < 7;
    // Two transfers a memory clock (kHz), over the bus's width in bits.
    description.dram_bytes_per_second = 2.0 * 1000 * attribute(cudaDevAttrMemoryClockRate) *
                                        attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
    description.provenance = {
        {"year", generation.year},
        {"fetch_unit_bytes", "32"},  // CUDA 12 builds for no GPU that fetches lines
        {"board", board_of(properties.uuid)},
        {"ecc", properties.ECCEnabled ? "on" : "off"},
        {"mig", state.mig()},
        {"driver", state.driver()},
        {"driver_version", version_text(driver)},
        {"runtime_version", version_text(runtime)},
        {"sm_clock_mhz_before", read(now.sm_clock_mhz)},
        {"memory_clock_mhz_before", read(now.memory_clock_mhz)},
        {"throttle_reasons_before", read(now.throttle_reasons)},
    };
}

}  // namespace

DeviceDescription describe_device() {
    cudaDeviceProp properties{};
    LAB_CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    DeviceDescription description;
    if (emulated_gpu::is_loaded()) {
        describe_emulated(description);
    } else {
        describe_gpu(description, properties);
    }
    description.sm_count = properties.multiProcessorCount;
    description.compute_capability = properties.major;
    std::ranges::copy(properties.maxGridSize, description.max_grid.begin());
    description.max_threads_per_block = static_cast<std::size_t>(properties.maxThreadsPerBlock);
    description.max_shared_bytes_per_block = properties.sharedMemPerBlockOptin;
    description.l2_bytes = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize));
    const auto add = [&](const char* key, std::string value) {
        description.provenance.emplace_back(key, std::move(value));
    };
    add("compute_capability",
        std::to_string(properties.major) + "." + std::to_string(properties.minor));
    add("compiler", "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." +
                        std::to_string(__CUDACC_VER_MINOR__) + "." +
                        std::to_string(__CUDACC_VER_BUILD__));
    add("compile_flags", LAB_KERNEL_FLAGS);
    return description;
}

}  // namespace lab
