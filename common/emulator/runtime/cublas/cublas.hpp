// The declarations in cublas_api.h of the functions that this library has: its headers need not be installed.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace emulator::cublas {

enum class Status : int {
    success = 0,
    not_initialised = 1,
    allocation_failed = 3,
    invalid_value = 7,
    mapping_error = 11,
    execution_failed = 13,
    not_supported = 15
};

enum class Operation : int { none = 0, transpose = 1, conjugate = 2 };

// cublasHandle_t points to it.
struct Context {
    cudaStream_t stream = nullptr;
    int pointer_mode = 0;  // 0: alpha and beta are the host's
    int math_mode = 0;
    int atomics_mode = 0;
};

// Null for what cublasCreate has not made.
Context* find_context(void* handle);

}  // namespace emulator::cublas
