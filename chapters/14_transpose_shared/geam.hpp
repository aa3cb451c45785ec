// NVIDIA's own transpose.
#pragma once

#include <cstddef>

#include "lab/cublas.hpp"

// Enqueues cublasSgeam: `in`, rows x columns, transposed to `out`. cuBLAS counts columns first, so that
// `in` is to it a matrix of columns x rows. The second operand, times 0, is not read.
inline void cublas_sgeam(const float* in, float* out, std::size_t rows, std::size_t columns) {
    using lab::cublas::Operation;
    const int m = static_cast<int>(rows), n = static_cast<int>(columns);
    lab::cublas::sgeam(Operation::transpose, Operation::none, m, n, 1, in, n, 0, out, m, out, m);
}
