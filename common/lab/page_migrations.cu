#include "lab/page_migrations.hpp"

#if __has_include(<cupti.h>)
#include <cupti.h>
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

namespace lab {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t buffer_bytes = 1 << 20;
constexpr std::uint32_t flush_period_ms = 1;
// A phase's records have come when none has come for this long.
constexpr auto silence = 50ms;

// Atomic: CUPTI hands buffers back on a thread of its own.
struct Totals {
    std::atomic<std::uint64_t> records, bytes_to_device, bytes_to_host, cpu_page_faults,
        gpu_page_fault_groups;
};
Totals totals;

void* library() {
    static void* const handle = [] {
        for (const char* name : {"libcupti.so", "libcupti.so.13", "libcupti.so.12",
                                 "/usr/local/cuda/lib64/libcupti.so",
                                 "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"}) {
            if (void* const found = dlopen(name, RTLD_NOW)) return found;
        }
        return static_cast<void*>(nullptr);
    }();
    return handle;
}

// Whether the library has this function and it succeeds. `Function` is the header's, for its type.
template <class Function, class... Arguments>
bool call(Function*, const char* name, Arguments... arguments) {
    if (library() == nullptr) return false;
    const auto function = reinterpret_cast<Function*>(dlsym(library(), name));
    return function != nullptr && function(arguments...) == CUPTI_SUCCESS;
}
// A macro because only a macro sees the function's name.
#define LAB_CUPTI(function, ...) call(function, #function __VA_OPT__(, ) __VA_ARGS__)

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes));
    *size = *buffer == nullptr ? 0 : buffer_bytes;
    *most_records = 0;  // as many as fit
}

void add(const CUpti_Activity* record) {
    if (record->kind != CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER) return;
    totals.records += 1;
    // Later versions of the record begin like this one.
    const auto* const counter =
        reinterpret_cast<const CUpti_ActivityUnifiedMemoryCounter2*>(record);
    switch (counter->counterKind) {
        case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD:
            totals.bytes_to_device += counter->value;
            break;
        case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH:
            totals.bytes_to_host += counter->value;
            break;
        case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT:
            totals.cpu_page_faults += 1;  // a record each; its value is the faulting instruction
            break;
        case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT:
            totals.gpu_page_fault_groups += counter->value;
            break;
        default:
            break;
    }
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid_bytes) {
    CUpti_Activity* record = nullptr;
    while (valid_bytes > 0 && LAB_CUPTI(cuptiActivityGetNextRecord, buffer, valid_bytes, &record)) {
        add(record);
    }
    std::free(buffer);
}

// An idle device is not enough: the driver reports on its own thread, and a flush delivers what it has
// reported so far.
void wait_for_records() {
    using Clock = std::chrono::steady_clock;
    std::uint64_t seen = totals.records;
    for (auto last = Clock::now(); Clock::now() - last < silence;) {
        std::this_thread::sleep_for(5ms);
        LAB_CUPTI(cuptiActivityFlushAll,
                  static_cast<std::uint32_t>(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
        if (totals.records == seen) continue;
        seen = totals.records;
        last = Clock::now();
    }
}

}  // namespace

PageMigrations::PageMigrations(int device) {
    CUpti_ActivityUnifiedMemoryCounterConfig wanted[4] = {};
    const CUpti_ActivityUnifiedMemoryCounterKind kinds[4] = {
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT,
    };
    for (int i = 0; i < 4; ++i) {
        wanted[i].scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE;
        wanted[i].kind = kinds[i];
        wanted[i].deviceId = static_cast<std::uint32_t>(device);
        wanted[i].enable = 1;
    }
    known_ = LAB_CUPTI(cuptiActivityRegisterCallbacks, give_buffer, take_buffer) &&
             LAB_CUPTI(cuptiActivityConfigureUnifiedMemoryCounter,
                       static_cast<CUpti_ActivityUnifiedMemoryCounterConfig*>(wanted), 4u) &&
             LAB_CUPTI(cuptiActivityEnable, CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
    // Large arrays move in thousands of records within milliseconds: collected while they move, they
    // are not left to a queue that may be too short.
    LAB_CUPTI(cuptiActivityFlushPeriod, flush_period_ms);
}

void PageMigrations::begin() {
    for (auto* const total : {&totals.bytes_to_device, &totals.bytes_to_host,
                              &totals.cpu_page_faults, &totals.gpu_page_fault_groups}) {
        *total = 0;
    }
}

std::optional<Counters> PageMigrations::end() {
    if (!known_) return std::nullopt;
    wait_for_records();
    std::size_t lost = 0;
    LAB_CUPTI(cuptiActivityGetNumDroppedRecords, static_cast<CUcontext>(nullptr), 0u, &lost);
    if (lost != 0) return std::nullopt;
    return Counters{
        {"bytes_to_device", static_cast<double>(totals.bytes_to_device)},
        {"bytes_to_host", static_cast<double>(totals.bytes_to_host)},
        {"cpu_page_faults", static_cast<double>(totals.cpu_page_faults)},
        {"gpu_page_fault_groups", static_cast<double>(totals.gpu_page_fault_groups)},
    };
}

}  // namespace lab

#else  // a toolkit without CUPTI's header

namespace lab {

PageMigrations::PageMigrations(int) {}
void PageMigrations::begin() {}
std::optional<Counters> PageMigrations::end() {
    return std::nullopt;
}

}  // namespace lab

#endif
