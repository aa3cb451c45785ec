// Checked CUDA runtime calls; always on. For GPU code only.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "lab/errors.hpp"

namespace lab {

inline void check_cuda(cudaError_t error, const char* expression, const char* file, int line) {
    if (error == cudaSuccess) return;
    throw CudaError(std::string(file) + ":" + std::to_string(line) + ": " + expression + ": " +
                    cudaGetErrorName(error) + " (" + cudaGetErrorString(error) + ")");
}

}  // namespace lab

// A macro because only a macro sees the expression. Throws lab::CudaError.
#define LAB_CUDA_CHECK(expression) ::lab::check_cuda((expression), #expression, __FILE__, __LINE__)
