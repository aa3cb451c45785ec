// The harness's device on a GPU, through the CUDA runtime.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <cstdio>

#include "lab/backend.hpp"
#include "lab/command_line.hpp"
#include "lab/cuda_check.hpp"
#include "lab/gpu_state.hpp"
#include "lab/page_migrations.hpp"
#include "lab/repeats.cuh"

namespace lab::backend {
namespace {

DeviceDescription& mutable_description() {
    static DeviceDescription description;
    return description;
}

// There only where --count-migrations asks for it.
std::optional<PageMigrations> page_migrations;

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

struct Generation {
    const char* name;
    const char* year;  // of its first GPU: orders the columns of tables
};

Generation generation_of(int major, int minor) {
    switch (major) {
        case 7: return minor >= 5 ? Generation{"Turing", "2018"} : Generation{"Volta", "2017"};
        case 8: return minor >= 9 ? Generation{"Ada", "2022"} : Generation{"Ampere", "2020"};
        case 9: return {"Hopper", "2022"};
        case 10: case 11: case 12: return {"Blackwell", "2024"};
        default: return major < 7 ? Generation{"before Volta", "2016"}
                                  : Generation{"after Blackwell", "2026"};
    }
}

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// Since CUDA 13 a place is a cudaMemLocation; before, it was a device's number.
#if CUDART_VERSION >= 13000
cudaMemLocation location(Place place) {
    cudaMemLocation location{};
    location.type = place == Place::host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    return location;
}
cudaError_t prefetch_to(const void* managed, std::size_t bytes, Place to) {
    return cudaMemPrefetchAsync(managed, bytes, location(to), 0, nullptr);
}
#else
int location(Place place) { return place == Place::host ? cudaCpuDeviceId : 0; }
cudaError_t prefetch_to(const void* managed, std::size_t bytes, Place to) {
    return cudaMemPrefetchAsync(managed, bytes, location(to), nullptr);
}
#endif

// Keeps the device busy without touching memory.
__global__ void hold(long long nanoseconds) {
    const auto now = [] {
        long long time = 0;
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
        return time;
    };
    const long long begin = now();
    while (now() - begin < nanoseconds) {
    }
}

struct Events {
    cudaEvent_t begin{}, end{};
    Events() {
        LAB_CUDA_CHECK(cudaEventCreate(&begin));
        LAB_CUDA_CHECK(cudaEventCreate(&end));
    }
    ~Events() {
        cudaEventDestroy(begin);
        cudaEventDestroy(end);
    }
};

}  // namespace

void open(std::vector<std::string>& arguments) {
    const bool count_migrations = take_flag(arguments, "--count-migrations");
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0) {
        throw MissingError(std::string("no GPU to run on (") + cudaGetErrorString(error) +
                           "); the executable with the suffix _emulated needs none");
    }
    // CUPTI wants an initialised driver, which it is by now. There is no context and no managed memory
    // yet, so that nothing comes before the first record.
    if (count_migrations) page_migrations.emplace(0);
    if (page_migrations && !page_migrations->known()) {
        std::fputs("[lab] page migrations are not counted: CUPTI is missing, or refuses\n", stderr);
    }
    cudaDeviceProp properties{};
    LAB_CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    const GpuState& state = gpu_state(properties.pciBusID, properties.pciDeviceID, properties.pciDomainID);
    const GpuReading now = state.read();
    int driver = 0;
    int runtime = 0;
    LAB_CUDA_CHECK(cudaDriverGetVersion(&driver));
    LAB_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));

    DeviceDescription& description = mutable_description();
    description.counts_migrations = count_migrations;
    description.slug = slug_of(properties.name);
    description.gpu_name = properties.name;
    const Generation generation = generation_of(properties.major, properties.minor);
    description.generation = generation.name;
    description.sm_count = properties.multiProcessorCount;
    description.l2_bytes = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize));
    // Two transfers a memory clock (kHz), over the bus's width in bits.
    description.dram_bytes_per_second = 2.0 * 1000 * attribute(cudaDevAttrMemoryClockRate) *
                                        attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
    description.provenance = {
        {"year", generation.year},
        {"compute_capability",
         std::to_string(properties.major) + "." + std::to_string(properties.minor)},
        {"fetch_unit_bytes", "32"},  // nvcc 13 builds for no GPU that fetches lines
        {"ecc", properties.ECCEnabled ? "on" : "off"},
        {"mig", state.mig()},
        {"driver", state.driver()},
        {"driver_version", version_text(driver)},
        {"runtime_version", version_text(runtime)},
        {"sm_clock_mhz_before", std::to_string(now.sm_clock_mhz)},
        {"memory_clock_mhz_before", std::to_string(now.memory_clock_mhz)},
        {"throttle_reasons_before", std::to_string(now.throttle_reasons)},
        {"compiler", "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." +
                         std::to_string(__CUDACC_VER_MINOR__) + "." +
                         std::to_string(__CUDACC_VER_BUILD__)},
        {"compile_flags", LAB_KERNEL_FLAGS},
    };
}

const DeviceDescription& description() { return mutable_description(); }

void* allocate(std::size_t bytes) {
    void* pointer = nullptr;
    LAB_CUDA_CHECK(cudaMalloc(&pointer, bytes));
    return pointer;
}

void release(void* pointer) noexcept { cudaFree(pointer); }

void copy_to_device(void* to, const void* from, std::size_t bytes) {
    LAB_CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
}

void copy_to_host(void* to, const void* from, std::size_t bytes) {
    LAB_CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

void copy_on_device(void* to, const void* from, std::size_t bytes) {
    LAB_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice));
}

void poison(void* pointer, std::size_t bytes) {
    LAB_CUDA_CHECK(cudaMemset(pointer, poison_byte, bytes));
}

bool repeats(const void* data, std::size_t bytes, const void* expected, std::size_t period,
             std::size_t phase) {
    const auto all = reinterpret_cast<std::uintptr_t>(data) | reinterpret_cast<std::uintptr_t>(expected) |
                     bytes | period | phase;
    const auto differ = [&]<class Word>(Word) {
        static int* const found = static_cast<int*>(allocate(sizeof(int)));
        LAB_CUDA_CHECK(cudaMemset(found, 0, sizeof(int)));
        constexpr unsigned grid = 1024, block = 512;  // more than any GPU holds at once
        find_difference<<<grid, block>>>(static_cast<const Word*>(data), bytes / sizeof(Word),
                                         static_cast<const Word*>(expected), period / sizeof(Word),
                                         phase / sizeof(Word), found);
        LAB_CUDA_CHECK(cudaGetLastError());
        int differs = 1;
        copy_to_host(&differs, found, sizeof(int));
        return differs != 0;
    };
    return !(all % 4 == 0   ? differ(std::uint32_t{})
             : all % 2 == 0 ? differ(std::uint16_t{})
                            : differ(std::uint8_t{}));
}

void synchronise() { LAB_CUDA_CHECK(cudaDeviceSynchronize()); }

// The device is held until all launches wait in its queue: else those of a few microseconds would be
// timed as fast as the host can launch them. A host slower than `slowest_host` is part of the time.
double elapsed_seconds(const std::function<void(int)>& launch, int launches) {
    static const Events events;
    static double host_seconds = 5e-6;  // for a launch; more, once the host was found to be slower
    constexpr double slowest_host = 40e-6;
    const auto all_wait = [&] {
        hold<<<1, 1>>>(static_cast<long long>(host_seconds * 1e9 * (launches + 10)));
        LAB_CUDA_CHECK(cudaGetLastError());
        LAB_CUDA_CHECK(cudaEventRecord(events.begin));
        for (int i = 0; i < launches; ++i) launch(i);
        LAB_CUDA_CHECK(cudaEventRecord(events.end));
        const bool has_begun = cudaEventQuery(events.begin) == cudaSuccess;
        LAB_CUDA_CHECK(cudaEventSynchronize(events.end));
        return !has_begun;
    };
    bool waited = all_wait();
    while (!waited && host_seconds < slowest_host) {
        host_seconds *= 2;
        waited = all_wait();
    }
    static bool told = false;
    if (!waited && !std::exchange(told, true)) {
        std::fputs("[lab] this host launches more slowly than the GPU runs: short kernels have its time\n",
                   stderr);
    }
    float milliseconds = 0;
    LAB_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, events.begin, events.end));
    return milliseconds / 1e3;
}

std::optional<ClockSample> sample_clocks() {
    const GpuReading now = gpu_state().read();
    if (!now.known) return std::nullopt;
    return ClockSample{static_cast<double>(now.sm_clock_mhz), now.throttled()};
}

bool has_managed_memory() { return attribute(cudaDevAttrConcurrentManagedAccess) != 0; }

void* allocate_managed(std::size_t bytes) {
    void* pointer = nullptr;
    LAB_CUDA_CHECK(cudaMallocManaged(&pointer, bytes));
    return pointer;
}

void prefetch(const void* managed, std::size_t bytes, Place to) {
    LAB_CUDA_CHECK(prefetch_to(managed, bytes, to));
}

void keep_on_host(const void* managed, std::size_t bytes) {
    LAB_CUDA_CHECK(cudaMemAdvise(managed, bytes, cudaMemAdviseSetPreferredLocation, location(Place::host)));
    LAB_CUDA_CHECK(cudaMemAdvise(managed, bytes, cudaMemAdviseSetAccessedBy, location(Place::device)));
}

std::size_t free_bytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    LAB_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return free;
}

std::optional<Counters> migrated(const std::function<void()>& run) {
    if (page_migrations) page_migrations->begin();
    run();
    synchronise();
    return page_migrations ? page_migrations->end() : std::nullopt;
}

std::optional<Counters> counted(const std::function<void()>& launch) {
    launch();
    synchronise();
    return std::nullopt;
}

}  // namespace lab::backend
