// NVIDIA's product.
#pragma once

#include "gemm.hpp"
#include "lab/cublas.hpp"

namespace cublas {

using lab::cublas::is_available;

// cuBLAS stores column by column: there, a row-major c = a b is the transpose of c, which is b's
// transpose times a's.
inline void multiply(const matmul::Gemm& g) {
    lab::cublas::sgemm(g.n, g.m, g.k, g.alpha, g.b, g.ldb, g.a, g.lda, g.beta, g.c, g.ldc);
}

}  // namespace cublas
