// cuBLAS's product, as a function that `scripts/lab peers` calls.
#include <cublas_v2.h>

#include <cstddef>

// C = A B of matrices stored row after row. cuBLAS counts columns first and so sees each of them
// transposed: it is given B and A, whose product is the transpose of C.
extern "C" int cublas_sgemm(const float* a, const float* b, float* c, std::size_t rows,
                            std::size_t columns, std::size_t inner) {
    static cublasHandle_t handle = nullptr;
    if (handle == nullptr && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
    cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH);  // no tensor cores
    const float one = 1, zero = 0;
    const int m = static_cast<int>(rows), n = static_cast<int>(columns),
              k = static_cast<int>(inner);
    return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n);
}
