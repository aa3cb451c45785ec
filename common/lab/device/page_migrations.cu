#include "lab/device/page_migrations.hpp"

#if __has_include(<cupti.h>)
#include <cupti.h>
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace lab {
namespace {

using namespace std::chrono_literals;

// More than a phase fills, so that no record waits for a second buffer.
constexpr std::size_t buffer_bytes = 16 << 20;
// A phase's records have come when none has come for this long.
constexpr auto silence = 50ms;

// Atomic: CUPTI hands buffers back on a thread of its own.
struct Totals {
    std::atomic<std::uint64_t> records, bytes_to_device, bytes_to_host, cpu_page_faults,
        gpu_page_fault_groups, unreadable_buffers;
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

// Asks the library's function, or says that there is none. `Function` is its type in the header: the
// function itself is not named, which would need the library to link.
template <class Function, class... Arguments>
CUptiResult call(const char* name, Arguments... arguments) {
    if (library() == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
    const auto function = reinterpret_cast<Function*>(dlsym(library(), name));
    return function == nullptr ? CUPTI_ERROR_NOT_INITIALIZED : function(arguments...);
}
// A macro because only a macro sees the function's name.
#define LAB_CUPTI(function, ...) call<decltype(function)>(#function __VA_OPT__(, ) __VA_ARGS__)

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes));
    *size = *buffer == nullptr ? 0 : buffer_bytes;
    *max_records = 0;  // as many as fit
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
    CUptiResult result = CUPTI_ERROR_MAX_LIMIT_REACHED;  // of an empty buffer, too
    while (valid_bytes > 0) {
        result = LAB_CUPTI(cuptiActivityGetNextRecord, buffer, valid_bytes, &record);
        if (result != CUPTI_SUCCESS) break;
        add(record);
    }
    // Records behind an incomplete one cannot be reached.
    if (result != CUPTI_ERROR_MAX_LIMIT_REACHED) totals.unreadable_buffers += 1;
    std::free(buffer);
}

// The driver's own queue is shorter than a phase, and loses what does not fit without saying so: it is
// emptied while the phase goes on, often enough (every millisecond was not).
std::jthread drain;
void keep_draining(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        LAB_CUPTI(cuptiActivityFlushAll, 0u);
        std::this_thread::sleep_for(100us);
    }
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
    known_ =
        LAB_CUPTI(cuptiActivityRegisterCallbacks, give_buffer, take_buffer) == CUPTI_SUCCESS &&
        LAB_CUPTI(cuptiActivityConfigureUnifiedMemoryCounter,
                  static_cast<CUpti_ActivityUnifiedMemoryCounterConfig*>(wanted),
                  4u) == CUPTI_SUCCESS &&
        LAB_CUPTI(cuptiActivityEnable, CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER) == CUPTI_SUCCESS;
}

void PageMigrations::begin() {
    for (auto* const total :
         {&totals.bytes_to_device, &totals.bytes_to_host, &totals.cpu_page_faults,
          &totals.gpu_page_fault_groups, &totals.unreadable_buffers}) {
        *total = 0;
    }
    if (known_) drain = std::jthread(keep_draining);
}

std::optional<Counters> PageMigrations::end() {
    if (!known_) return std::nullopt;
    drain = {};  // stops and joins
    wait_for_records();
    std::size_t dropped = 0;
    LAB_CUPTI(cuptiActivityGetNumDroppedRecords, static_cast<CUcontext>(nullptr), 0u, &dropped);
    const std::size_t unreadable = totals.unreadable_buffers;
    if (dropped != 0 || unreadable != 0) {
        std::fprintf(stderr,
                     "[lab] page migrations of a phase are left out: CUPTI dropped %zu records and "
                     "handed over %zu buffers that cannot be read to the end\n",
                     dropped, unreadable);
        return std::nullopt;
    }
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
std::optional<Counters> PageMigrations::end() { return std::nullopt; }

}  // namespace lab

#endif
