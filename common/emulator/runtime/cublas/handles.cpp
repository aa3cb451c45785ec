// Handles and their settings, and the helpers that copy vectors and matrices.
#include <map>
#include <memory>
#include <mutex>

#include "emulator/runtime/cublas/cublas.hpp"
#include "emulator/runtime/report/counters.h"

namespace emulator::cublas {
namespace {

std::mutex& handles_mutex() {
    static std::mutex& mutex = *new std::mutex;
    return mutex;
}

std::map<void*, std::unique_ptr<Context>>& handles() {
    static auto& result = *new std::map<void*, std::unique_ptr<Context>>;
    return result;
}

template <class T>
Status get(void* handle, T Context::* setting, T* value) {
    const Context* const context = find_context(handle);
    if (context == nullptr) return Status::not_initialised;
    if (value == nullptr) return Status::invalid_value;
    *value = context->*setting;
    return Status::success;
}

template <class T>
Status set(void* handle, T Context::* setting, T value) {
    Context* const context = find_context(handle);
    if (context == nullptr) return Status::not_initialised;
    context->*setting = value;
    return Status::success;
}

// Copies columns of `rows` elements.
Status copy_matrix(std::size_t rows, std::size_t columns, std::size_t element_bytes,
                   const void* from, std::size_t from_stride, void* to, std::size_t to_stride,
                   cudaMemcpyKind kind) {
    const cudaError_t error =
        cudaMemcpy2D(to, to_stride * element_bytes, from, from_stride * element_bytes,
                     rows * element_bytes, columns, kind);
    return error == cudaSuccess ? Status::success : Status::mapping_error;
}

}  // namespace

Context* find_context(void* handle) {
    const std::lock_guard lock(handles_mutex());
    const auto found = handles().find(handle);
    return found == handles().end() ? nullptr : found->second.get();
}

}  // namespace emulator::cublas

using namespace emulator::cublas;

extern "C" {

Status cublasCreate_v2(void** handle) {
    if (handle == nullptr) return Status::invalid_value;
    const std::lock_guard lock(handles_mutex());
    auto context = std::make_unique<Context>();
    *handle = context.get();
    handles()[*handle] = std::move(context);
    return Status::success;
}

Status cublasDestroy_v2(void* handle) {
    const std::lock_guard lock(handles_mutex());
    return handles().erase(handle) == 1 ? Status::success : Status::not_initialised;
}

Status cublasGetVersion_v2(void*, int* version) {
    if (version == nullptr) return Status::invalid_value;
    *version = 130000;
    return Status::success;
}

Status cublasSetStream_v2(void* handle, cudaStream_t stream) {
    return set(handle, &Context::stream, stream);
}
Status cublasGetStream_v2(void* handle, cudaStream_t* stream) {
    return get(handle, &Context::stream, stream);
}
Status cublasSetPointerMode_v2(void* handle, int mode) {
    return set(handle, &Context::pointer_mode, mode);
}
Status cublasGetPointerMode_v2(void* handle, int* mode) {
    return get(handle, &Context::pointer_mode, mode);
}
Status cublasSetMathMode(void* handle, int mode) { return set(handle, &Context::math_mode, mode); }
Status cublasGetMathMode(void* handle, int* mode) { return get(handle, &Context::math_mode, mode); }
Status cublasSetAtomicsMode(void* handle, int mode) {
    return set(handle, &Context::atomics_mode, mode);
}
Status cublasGetAtomicsMode(void* handle, int* mode) {
    return get(handle, &Context::atomics_mode, mode);
}
// No workspace is needed.
Status cublasSetWorkspace_v2(void* handle, void*, std::size_t) {
    return find_context(handle) == nullptr ? Status::not_initialised : Status::success;
}

Status cublasSetVector(int n, int element_bytes, const void* from, int from_stride, void* to,
                       int to_stride) {
    return copy_matrix(1, static_cast<std::size_t>(n), static_cast<std::size_t>(element_bytes),
                       from, static_cast<std::size_t>(from_stride), to,
                       static_cast<std::size_t>(to_stride), cudaMemcpyHostToDevice);
}
Status cublasGetVector(int n, int element_bytes, const void* from, int from_stride, void* to,
                       int to_stride) {
    return copy_matrix(1, static_cast<std::size_t>(n), static_cast<std::size_t>(element_bytes),
                       from, static_cast<std::size_t>(from_stride), to,
                       static_cast<std::size_t>(to_stride), cudaMemcpyDeviceToHost);
}
Status cublasSetMatrix(int rows, int columns, int element_bytes, const void* from, int from_stride,
                       void* to, int to_stride) {
    return copy_matrix(static_cast<std::size_t>(rows), static_cast<std::size_t>(columns),
                       static_cast<std::size_t>(element_bytes), from,
                       static_cast<std::size_t>(from_stride), to,
                       static_cast<std::size_t>(to_stride), cudaMemcpyHostToDevice);
}
Status cublasGetMatrix(int rows, int columns, int element_bytes, const void* from, int from_stride,
                       void* to, int to_stride) {
    return copy_matrix(static_cast<std::size_t>(rows), static_cast<std::size_t>(columns),
                       static_cast<std::size_t>(element_bytes), from,
                       static_cast<std::size_t>(from_stride), to,
                       static_cast<std::size_t>(to_stride), cudaMemcpyDeviceToHost);
}

const char* cublasGetStatusName(Status status) {
    if (status == Status::not_supported) emulatedGpuNotice();
    switch (status) {
        case Status::success:
            return "CUBLAS_STATUS_SUCCESS";
        case Status::not_initialised:
            return "CUBLAS_STATUS_NOT_INITIALIZED";
        case Status::allocation_failed:
            return "CUBLAS_STATUS_ALLOC_FAILED";
        case Status::invalid_value:
            return "CUBLAS_STATUS_INVALID_VALUE";
        case Status::mapping_error:
            return "CUBLAS_STATUS_MAPPING_ERROR";
        case Status::execution_failed:
            return "CUBLAS_STATUS_EXECUTION_FAILED";
        case Status::not_supported:
            return "CUBLAS_STATUS_NOT_SUPPORTED";
    }
    return "unknown status";
}
const char* cublasGetStatusString(Status status) { return cublasGetStatusName(status); }

}  // extern "C"
