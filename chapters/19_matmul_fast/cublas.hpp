// NVIDIA's product, where the executable is linked with cuBLAS (cublas.cu) and where it is not
// (without_cublas.cpp).
#pragma once

#include "gemm.hpp"

namespace cublas {

bool is_available();

// cublasSgemm in CUBLAS_PEDANTIC_MATH: FP32 throughout, no tensor cores. Asynchronous. Throws
// std::runtime_error where cuBLAS fails or is not there.
void multiply(const matmul::Gemm& gemm);

}  // namespace cublas
