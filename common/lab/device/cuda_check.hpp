// Checked CUDA runtime calls; always on. For GPU code only.
#pragma once

#include <cuda_runtime.h>

namespace lab {

// Throws the CudaError of a failed call. In a source of its own, so that kernels are compiled without the
// standard library's headers, which take longer than they do.
[[noreturn]] void throw_cuda_error(cudaError_t error, const char* expression, const char* file,
                                   int line);

inline void check_cuda(cudaError_t error, const char* expression, const char* file, int line) {
    if (error != cudaSuccess) throw_cuda_error(error, expression, file, line);
}

}  // namespace lab

// A macro because only a macro sees the expression. Throws lab::CudaError.
#define LAB_CUDA_CHECK(expression) ::lab::check_cuda((expression), #expression, __FILE__, __LINE__)
