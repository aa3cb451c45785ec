#include "cublas.hpp"

#include <cublas_v2.h>

#include <stdexcept>
#include <string>

namespace cublas {
namespace {

void check(cublasStatus_t status, const char* call) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw std::runtime_error(std::string(call) + ": " + cublasGetStatusString(status));
}

// Lives as long as the process.
cublasHandle_t handle() {
    static const cublasHandle_t created = [] {
        cublasHandle_t fresh = nullptr;
        check(cublasCreate(&fresh), "cublasCreate");
        check(cublasSetMathMode(fresh, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
        return fresh;
    }();
    return created;
}

}  // namespace

bool is_available() {
    return true;
}

// cuBLAS stores column by column: there, a row-major c = a b is the transpose of c, which is b's
// transpose times a's.
void multiply(const matmul::Gemm& gemm) {
    check(cublasSgemm(handle(), CUBLAS_OP_N, CUBLAS_OP_N, gemm.n, gemm.m, gemm.k, &gemm.alpha,
                      gemm.b, gemm.ldb, gemm.a, gemm.lda, &gemm.beta, gemm.c, gemm.ldc),
          "cublasSgemm");
}

}  // namespace cublas
