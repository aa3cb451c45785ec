// How a function of the CUDA API fails: what it returns, what the thread remembers, what stderr says.
#pragma once

#include <cuda_runtime_api.h>

#include <mutex>
#include <type_traits>

#include "emulator/runtime/errors/api_error.hpp"
#include "emulator/runtime/errors/memory_faults.hpp"
#include "emulator/runtime/errors/messages.hpp"

namespace emulator::runtime {

// One API function runs at a time; callbacks may call the API again.
std::recursive_mutex& api_mutex();

// The error that a kernel fault leaves behind: every call fails with it until cudaDeviceReset.
void set_sticky_error(cudaError_t code);
void clear_sticky_error();
cudaError_t sticky_error();

// Remembers `code` for cudaGetLastError of this thread, and returns it.
cudaError_t remember(cudaError_t code);
// The same of a call that fails now: it goes to the report.
cudaError_t record(cudaError_t code);
// To be called while an exception is handled: prints and records what it stands for.
cudaError_t record_exception() noexcept;

// The body of a function that works whatever has failed before: it returns nothing or a cudaError_t, and throws ApiError.
template <class Body>
cudaError_t call_always(Body&& body, const char* function = __builtin_FUNCTION()) noexcept {
    const std::lock_guard lock(api_mutex());
    FaultScope faults;
    if (sigsetjmp(faults.place, 0) != 0) {
        print_error(faults.reason(function));
        return record(cudaErrorInvalidValue);
    }
    try {
        if constexpr (std::is_void_v<decltype(body())>) {
            body();
            return cudaSuccess;
        } else {
            return remember(body());
        }
    } catch (...) {
        return record_exception();
    }
}

// The body of an API function, which fails after a kernel fault.
template <class Body>
cudaError_t call(Body&& body, const char* function = __builtin_FUNCTION()) noexcept {
    const std::lock_guard lock(api_mutex());
    if (sticky_error() != cudaSuccess) return remember(sticky_error());
    return call_always(body, function);
}

}  // namespace emulator::runtime
