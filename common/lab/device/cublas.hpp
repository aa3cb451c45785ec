// NVIDIA's BLAS, a reference of some chapters. Opened at run time: neither the machine that builds nor
// the one that runs needs it.
#pragma once

namespace lab::cublas {

// Whether there is a GPU, not emulated, and a libcublas to open.
bool is_available();

// A product may launch so many: where k is long, parts of it, and then their sum.
constexpr int max_kernels = 2;

enum class Operation { none = 0, transpose = 1 };  // cublasOperation_t

// c = alpha a b + beta c, column by column as BLAS stores matrices, without transpositions, in
// CUBLAS_PEDANTIC_MATH: FP32 throughout, no tensor cores. Asynchronous. This and those below throw
// std::runtime_error where cuBLAS fails or is not there.
void sgemm(int m, int n, int k, float alpha, const float* a, int lda, const float* b, int ldb,
           float beta, float* c, int ldc);

// The type of a and b; c is FP32, as are the sums. cudaDataType, and for tf32 the type of the computation.
enum class Type { fp16, bf16, tf32 };

// The same on tensor cores, in the default math mode.
void gemm(Type type, int m, int n, int k, float alpha, const void* a, int lda, const void* b,
          int ldb, float beta, float* c, int ldc);

// c (m x n) = alpha op(a) + beta op(b), column by column. Asynchronous.
void sgeam(Operation of_a, Operation of_b, int m, int n, float alpha, const float* a, int lda,
           float beta, const float* b, int ldb, float* c, int ldc);

}  // namespace lab::cublas
