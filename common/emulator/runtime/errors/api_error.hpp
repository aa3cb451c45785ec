// The exception by which a function of the CUDA API fails.
#pragma once

#include <cuda_runtime_api.h>

#include <exception>
#include <string>
#include <utility>

namespace emulator::runtime {

// Ends an API function with `code`. `why`, if any, goes to stderr in one line: for what the emulated GPU cannot do.
// `detail` goes to the report: what the program asked for and what is allowed.
class ApiError : public std::exception {
  public:
    explicit ApiError(cudaError_t code, std::string why = "", std::string detail = "")
        : code(code), why(std::move(why)), detail(std::move(detail)) {}
    const char* what() const noexcept override { return why.c_str(); }
    cudaError_t code;
    std::string why, detail;
};

// Names what the program did wrong, with the numbers.
[[noreturn]] inline void refuse(cudaError_t code, std::string detail) {
    throw ApiError(code, "", std::move(detail));
}

inline void require(bool condition, cudaError_t otherwise = cudaErrorInvalidValue) {
    if (!condition) throw ApiError(otherwise);
}

// Follows a program's pointer.
template <class T>
T& required(T* pointer) {
    require(pointer != nullptr);
    return *pointer;
}

}  // namespace emulator::runtime
