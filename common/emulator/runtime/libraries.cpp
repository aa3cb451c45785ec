// What libraries of CUDA that stand in for NVIDIA's ask the runtime for.
#include "emulator/device_memory.hpp"
#include "emulator/runtime/allocations.hpp"
#include "emulator/runtime/counters.h"
#include "emulator/runtime/errors.hpp"
#include "emulator/runtime/failures.hpp"
#include "emulator/runtime/report.hpp"

using namespace emulator::runtime;

extern "C" {

void emulatedGpuRefuse(const char* function) {
    const std::lock_guard lock(api_mutex());
    print_error(std::string(function) + " is not supported");
    note_failure(cudaErrorNotSupported, "", function);
}

void emulatedGpuNotice() {
    const std::lock_guard lock(api_mutex());
    notice_failures(cudaErrorNotSupported);
}

void emulatedGpuNote(const char* text) {
    const std::lock_guard lock(api_mutex());
    report_note(text);
}

void* emulatedGpuStorage(const void* pointer, size_t bytes, int is_written) {
    const std::lock_guard lock(api_mutex());
    try {
        require_accessible(pointer, bytes, true);
    } catch (const ApiError&) {
        return nullptr;
    }
    const auto address = reinterpret_cast<emulator::Address>(pointer);
    if (is_written != 0) emulator::mark_initialised(address, bytes);
    return emulator::storage_of(address);
}

}  // extern "C"
