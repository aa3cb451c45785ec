// Functions for libraries of CUDA that stand in for NVIDIA's.
#include "emulator/memory/device_memory.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/memory/allocations.hpp"
#include "emulator/runtime/report/counters.h"
#include "emulator/runtime/report/failures.hpp"
#include "emulator/runtime/report/report.hpp"

using namespace emulator::runtime;

extern "C" {

void emulatedGpuRefuse(const char* function) {
    call_always([&] {
        const std::string name(function);
        print_error(name + " is not supported");
        note_failure(cudaErrorNotSupported, "", name);
    });
}

void emulatedGpuNotice() {
    const std::lock_guard lock(api_mutex());
    notice_failures(cudaErrorNotSupported);
}

void emulatedGpuNote(const char* text) {
    call_always([&] { report_note(std::string(text)); });
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
