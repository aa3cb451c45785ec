// The harness's device, through the CUDA runtime: a GPU's or the emulated one.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "lab/device/backend.hpp"
#include "lab/device/cuda_check.hpp"
#include "lab/device/device_description.hpp"
#include "lab/device/emulated_gpu.hpp"
#include "lab/device/gpu_state.hpp"
#include "lab/device/page_migrations.hpp"
#include "lab/program/command_line.hpp"
#include "lab/program/errors.hpp"

namespace lab::backend {
namespace {

DeviceDescription& mutable_description() {
    static DeviceDescription description;
    return description;
}

__global__ void do_nothing() {}

// There only where --count-migrations asks for it.
std::optional<PageMigrations> page_migrations;

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

// "" with a GPU, else why there is none.
std::string lacks_gpu() {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) return cudaGetErrorString(error);
    return count == 0 ? "no device" : "";
}

// Goes on where the runtime that is loaded can do what is asked; else the program restarts.
void choose_runtime(const emulated_gpu::Flags& flags) {
    if (flags.given() && !emulated_gpu::is_restarted()) emulated_gpu::restart(flags);
    const std::string lack = lacks_gpu();
    if (lack.empty() && (emulated_gpu::is_loaded() || !flags.given())) return;
    if (emulated_gpu::is_loaded()) throw CudaError("the emulated GPU: " + lack);
    if (!emulated_gpu::is_restarted()) {
        std::fprintf(stderr,
                     "[lab] no GPU here (%s): emulating one; --architecture= chooses which\n",
                     lack.c_str());
    }
    emulated_gpu::restart(flags);
}

Counted executed(const std::function<void()>& launch, PredictedL2 l2) {
    emulated_gpu::predict_time(l2);
    emulated_gpu::reset_counters();
    launch();
    synchronise();
    const emulated_gpu::Prediction prediction = emulated_gpu::prediction();
    emulated_gpu::predict_time(PredictedL2::none);
    return {emulated_gpu::counters(), prediction.seconds, prediction.bound,
            prediction.busy_seconds};
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text = lines.front();
    for (std::size_t i = 1; i < lines.size(); ++i) text += "\n       " + lines[i];
    return text;
}

}  // namespace

void open(std::vector<std::string>& arguments) {
    const bool count_migrations = take_flag(arguments, "--count-migrations");
    choose_runtime(emulated_gpu::take_flags(arguments));
    // CUPTI wants an initialised driver, which it is by now. There is no context and no managed memory
    // yet, so that nothing comes before the first record.
    if (count_migrations && !emulated_gpu::is_loaded()) page_migrations.emplace(0);
    if (page_migrations && !page_migrations->known()) {
        std::fputs("[lab] page migrations are not counted: CUPTI is missing, or refuses\n", stderr);
    }
    mutable_description() = describe_device();
    mutable_description().counts_migrations = count_migrations;
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
    if (emulated_gpu::is_loaded()) emulated_gpu::mark_uninitialised(pointer, bytes);
}

void synchronise() { LAB_CUDA_CHECK(cudaDeviceSynchronize()); }

L2SetAside::L2SetAside(std::size_t bytes) : is_set_(bytes > 0) {
    if (is_set_) LAB_CUDA_CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes));
}

// Also what it holds becomes ordinary lines, or they would stay in the next one's way.
L2SetAside::~L2SetAside() {
    if (!is_set_) return;
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
    cudaCtxResetPersistingL2Cache();
}

int compiled_for(const void* kernel) {
    cudaFuncAttributes attributes{};
    LAB_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    return attributes.ptxVersion / 10;
}

void launch_empty(unsigned threads) {
    do_nothing<<<1, threads>>>();
    LAB_CUDA_CHECK(cudaGetLastError());
}

ClockSample sample_clocks() {
    if (description().emulated) return {};
    const GpuReading now = gpu_state().read();
    if (!now.known) return {};
    return {static_cast<double>(now.sm_clock_mhz), now.throttled()};
}

bool has_managed_memory() {
    int concurrent = 0;
    LAB_CUDA_CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
    return concurrent != 0 && !description().emulated;
}

void* allocate_managed(std::size_t bytes) {
    void* pointer = nullptr;
    LAB_CUDA_CHECK(cudaMallocManaged(&pointer, bytes));
    return pointer;
}

void prefetch(const void* managed, std::size_t bytes, Place to) {
    LAB_CUDA_CHECK(prefetch_to(managed, bytes, to));
}

void keep_on_host(const void* managed, std::size_t bytes) {
    LAB_CUDA_CHECK(
        cudaMemAdvise(managed, bytes, cudaMemAdviseSetPreferredLocation, location(Place::host)));
    LAB_CUDA_CHECK(
        cudaMemAdvise(managed, bytes, cudaMemAdviseSetAccessedBy, location(Place::device)));
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

std::optional<Counted> counted(const std::function<void()>& launch, PredictedL2 l2) {
    if (!description().emulated) {
        launch();
        synchronise();
        return std::nullopt;
    }
    Counted result = executed(launch, l2);
    const std::vector<std::string> hazards = emulated_gpu::hazards();
    if (!hazards.empty()) throw ValidationError(joined(hazards));
    return result;
}

// Hazards are not checked here: most of the data are not there.
Counted predicted(const std::function<void()>& launch, PredictedL2 l2) {
    const emulated_gpu::Sampling sampling;
    Counted result = executed(launch, l2);
    result.counters.clear();
    return result;
}

bool is_predicting() { return emulated_gpu::Sampling::is_on(); }

}  // namespace lab::backend
